/** What the caller has changed in all entities over HTTP, so that clients can offer to take it back. */
import type { Caller } from '../auth/caller.ts'
import { reachAs } from '../auth/readable-records.ts'
import { type Queryable, queryRows } from '../database/pool.ts'
import { bigint, int, ints, join, notDeleted, nothing, sql, table, text } from '../database/sql.ts'
import { type Entity, getEntity } from '../definitions/catalog.ts'
import { recordParts } from '../definitions/native-entities.ts'
import { endpoint } from '../http/endpoint/endpoint.ts'
import { integer } from '../http/endpoint/parameters.ts'
import { json, objectOf } from '../http/openapi/operation.ts'
import { type RecordScope, withoutShared } from '../query/access.ts'
import { compileScope } from '../query/compile-scope.ts'
import {
  type HistoryRow,
  ownChange,
  partKeyOf,
  readEntries,
  type ScopeOf,
  type ShownEntry,
  shownEntry,
} from './history.ts'
import { withUsers } from './linked-users.ts'
import { visibleInHistory } from './read-endpoints.ts'
import type { RecordDeps } from './record-request.ts'

/**
 * Entries of the history as a caller may see them, by their ids; those of records whose history they may not see, or that nothing
 * defines any more, are left out.
 */
export const shownEntries = async (
  deps: RecordDeps,
  caller: Caller,
  rows: readonly HistoryRow[],
): Promise<ReadonlyMap<number, ShownEntry>> => {
  const shown = await Promise.all(
    [...Map.groupBy(rows, ({ entity_key: key }) => key)].map(async ([key, entries]) => {
      const entity = deps.catalog.entities.get(key)
      if (!entity) return []
      const ids = [...new Set(entries.map((row) => row.entity_id))]
      const readable = await readableOf(deps, caller, entity, ids)
      const as = await reachAs(deps.pool, deps, { person: caller, entity, ids })
      return entries.flatMap((row) => {
        const record = readable.get(row.entity_id)
        const isVisible = visibleInHistory(deps, entity, row.entity_id, as)
        const part = partKeyOf(row)
        const seen = row.part_confined ? confinedTo(part ?? '') : part
        const isShown = record && (seen === undefined || record.parts.has(seen))
        return isShown ? { entity, entry: shownEntry(row, isVisible) } : []
      })
    }),
  )
  const named = await withUsers(
    deps.pool,
    { ...deps, reader: readerOf(deps, caller) },
    shown.flat(),
  )
  return new Map(named.map((entry) => [entry.id, entry]))
}

const readerOf = ({ catalog, permissions }: RecordDeps, caller: Caller) => ({
  people: getEntity(catalog, 'user'),
  access: permissions.accessOf(caller),
})

/** Which records of an entity the caller may see the history of, and that of which of their parts. */
const readableOf = async (
  { permissions, pool }: RecordDeps,
  caller: Caller,
  entity: Entity,
  ids: readonly number[],
) => {
  const read = withoutShared(permissions.scopeOf(caller, 'read', entity))
  if (read === 'none') return new Map<number, ReadableHistory>()
  const scopeOf: ScopeOf = (right) => permissions.scopeOf(caller, right, entity)
  return findReadable(pool, entity, ids, { read, scopeOf })
}

const listOwnChanges = endpoint({
  tag: 'Changes',
  who: 'caller',
  method: 'get',
  path: '/api/changes',
  id: 'listOwnChanges',
  summary: 'What the caller has changed',
  description:
    'Entries of the history of all entities, the newest first, without those of records whose history the caller may not see any more.',
  query: {
    limit: integer({
      min: 1,
      max: 100,
      default: 50,
      description: 'The most entries that are read.',
    }),
    before: integer({
      min: 1,
      max: Number.MAX_SAFE_INTEGER,
      description: 'Only entries that are older: `next` of the answer before.',
    }),
  },
  answers: {
    200: json(
      'The entries. `next` is null after the oldest one.',
      objectOf({
        data: { type: 'array', items: ownChange },
        next: { type: ['integer', 'null'] },
      }),
    ),
  },
  handle: ({ caller, query: { limit, before } }, deps: RecordDeps) =>
    deps.read((pool) => ownChangesOf({ ...deps, pool }, caller, limit, before)),
})

const ownChangesOf = async (
  deps: RecordDeps,
  caller: Caller,
  limit: number,
  before: number | undefined,
) => {
  const own = entriesOf(caller.userId, before, limit)
  const rows = await readEntries(deps.pool, own, readerOf(deps, caller))
  const shown = await shownEntries(deps, caller, rows)
  return {
    data: rows.flatMap(({ id, entity_key: entity, entity_id }) => {
      const entry = shown.get(id)
      return entry ? [{ entity, entity_id, ...entry }] : []
    }),
    next: rows.length === limit ? (rows.at(-1)?.id ?? null) : null,
  }
}

export const ownChangeEndpoints = [listOwnChanges]

/** Selects the entries of a user, the newest first; with `before` those that are older than that one, also if it is gone. */
const entriesOf = (userId: number, before: number | undefined, limit: number) => sql`
  SELECT h.*
  FROM docket.history h
  WHERE h.user_id = ${int(userId)} ${before === undefined ? nothing : olderThan(before)}
  ORDER BY h.at DESC, h.id DESC
  LIMIT ${bigint(limit)}`

const olderThan = (id: number) => sql`
    AND (h.at, h.id) < (
      (SELECT b.at FROM docket.history b WHERE b.id <= ${bigint(id)} ORDER BY b.id DESC LIMIT 1), ${bigint(id)}
    )`

/** The entities of the parts of a record whose history a reader may see. */
type ReadableHistory = { readonly parts: ReadonlySet<string> }

type HistoryScopes = { readonly read: RecordScope; readonly scopeOf: ScopeOf }

/** Stands for those parts of a kind that are for few. */
const confinedTo = (part: string): string => `${part} confined`

/** Which of some records the reader may see the history of, and that of which of their parts. */
const findReadable = async (
  database: Queryable,
  entity: Entity,
  ids: readonly number[],
  scopes: HistoryScopes,
): Promise<ReadonlyMap<number, ReadableHistory>> => {
  const may = (scope: RecordScope) => compileScope(scope, entity.hasOwner, 't')
  const { scopeOf } = scopes
  const seen = [...recordParts].flatMap(([key, { readBy, confined }]) => [
    // The record itself is read.
    sql`CASE WHEN ${readBy === 'read' ? sql`true` : may(scopeOf(readBy))} THEN ${text(key)} END`,
    ...(confined
      ? [sql`CASE WHEN ${may(scopeOf(confined.right))} THEN ${text(confinedTo(key))} END`]
      : []),
  ])
  const rows = await queryRows<{ readonly id: number; readonly parts: readonly string[] }>(
    database,
    sql`
    SELECT t.id, array_remove(ARRAY[${join(seen, ', ')}], NULL) AS parts
    FROM ${table(entity)} t
    WHERE t.id = ANY(${ints(ids)}) AND ${may(scopes.read)}
      AND (${notDeleted('t')} OR ${may(scopeOf('delete'))})`,
  )
  return new Map(rows.map(({ id, parts }) => [id, { parts: new Set(parts) }]))
}
