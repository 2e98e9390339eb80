/** The events of changes for one watching stream: only of records that its user may read at this moment. */
import { type Person, wholeRoleKey } from '../../auth/caller.ts'
import type { Permissions } from '../../auth/permissions.ts'
import { personOf, readableBy } from '../../auth/readable-records.ts'
import { type Pool, queryRows } from '../../database/pool.ts'
import { bound, ints, nothing, ref, type Sql, sql, table, texts } from '../../database/sql.ts'
import type { Catalog, Entity } from '../../definitions/catalog.ts'
import { isPartOfRecord, partOfRecords } from '../../definitions/native-entities.ts'
import { lockingLists } from '../../definitions/step-locks.ts'
import { shownIn } from '../../query/access.ts'
import { userRoleKeys, usersWithRole } from '../../users/user-store.ts'
import { queuesOf } from '../../workflow/approval-store.ts'
import { entitledColumns } from './change-feed.ts'

export type WatchDeps = { readonly catalog: Catalog; readonly permissions: Permissions }

/** The numbers whose changes a stream may watch. */
export const watchedCounts = ['approvals', 'tasks'] as const
export type WatchedCount = (typeof watchedCounts)[number]

/** All records of an entity, or one. */
export type WatchedRecords = {
  readonly entityKey: string
  readonly id: number | undefined
  /** Of the one record, the version that the client has read. */
  readonly version: number | undefined
}

export type WatchRequest = {
  readonly records: readonly WatchedRecords[]
  readonly counts: ReadonlySet<WatchedCount>
}

/** What happened to one record since the changes were read last. */
export type ChangedRecord = {
  readonly id: number
  readonly facts: Facts | undefined
  readonly operations: ReadonlySet<string>
  /** Its parts that have changed, by the keys of their entities. */
  readonly parts: readonly { readonly key: string; readonly isConfined: boolean }[]
  /** Users who had to do with it before. */
  readonly entitledBefore: ReadonlySet<number>
}

/** The changed records of each entity, by id. */
export type ChangedRecords = ReadonlyMap<string, ReadonlyMap<number, ChangedRecord>>

export type WatchEvent = { readonly event: string; readonly data: object }

/** Undefined if there are too many: the client reads again what it shows. */
export const eventsFor = (
  deps: WatchDeps,
  person: Person,
  { records, counts }: WatchRequest,
  changed: ChangedRecords,
): WatchEvent[] | undefined => {
  const byRecord = new Map<string, WatchEvent>()
  const ofParts = new Map<string, readonly WatchEvent[]>()
  for (const { entityKey, id } of records) {
    const entity = deps.catalog.entities.get(entityKey)
    const all = changed.get(entityKey)
    if (!entity || !all) continue
    const one = id === undefined ? undefined : all.get(id)
    for (const record of id === undefined ? all.values() : one ? [one] : []) {
      const event = recordEvent(deps, person, entity, record)
      if (event) byRecord.set(`${entityKey}/${record.id}`, event)
      // The page of a record may share a stream with a list that watches all of them.
      const events = partEvents(deps, person, entity, record)
      if (events.length > 0) ofParts.set(`${entityKey}/${record.id}`, events)
      if (byRecord.size + ofParts.size > maxEvents) return undefined
    }
  }
  const events = [...byRecord.values(), ...ofParts.values()].flat()
  if (counts.has('approvals') && mayChangeApprovals(deps, person, changed))
    events.push({ event: 'approvals', data: {} })
  if (counts.has('tasks') && mayChangeTasks(deps, person, changed))
    events.push({ event: 'tasks', data: {} })
  return events
}

const maxEvents = 200

type Reach = 'readable' | 'gone' | 'unknown'

/** Whether the person may read the record, could read it before the change, or could never read it. */
const reachOf = (
  { permissions }: WatchDeps,
  person: Person,
  entity: Entity,
  { facts, entitledBefore }: ChangedRecord,
): Reach => {
  const scope = permissions.scopeOf(person, 'read', entity)
  if (scope === 'none' || !facts) return 'unknown'
  const { userId } = person
  if (scope !== 'all' && !facts.readers?.includes(userId))
    return facts.readers_before?.includes(userId) || entitledBefore.has(userId) ? 'gone' : 'unknown'
  return facts.is_deleted ? 'gone' : 'readable'
}

const recordEvent = (
  deps: WatchDeps,
  person: Person,
  entity: Entity,
  record: ChangedRecord,
): WatchEvent | undefined => {
  // Only a part of it has changed.
  if (record.operations.size === 0 && record.parts.length > 0) return undefined
  const reach = reachOf(deps, person, entity, record)
  if (reach === 'unknown' || !record.facts) return undefined
  const named = { entity: entity.key, id: record.id }
  if (reach === 'gone') return { event: 'record', data: { ...named, gone: true } }
  const { version, updated_by: by } = record.facts
  const column = entity.columnsByName.get('_updated_by')
  const access = deps.permissions.accessOf(person)
  const scope = access.readScope(entity)
  // Which of several roles reads the record is not asked here.
  const showsActor = column && access.maySee(entity, column) && shownIn(scope, column) === scope
  const isNew = record.operations.has('create')
  return {
    event: 'record',
    data: { ...named, version, ...(isNew && { created: true }), ...(showsActor && { by }) },
  }
}

/** Which kinds of parts of a record have changed, for those who may read it and them. */
const partEvents = (
  deps: WatchDeps,
  person: Person,
  entity: Entity,
  record: ChangedRecord,
): readonly WatchEvent[] => {
  if (record.parts.length === 0 || reachOf(deps, person, entity, record) !== 'readable') return []
  const sees = ({ key, isConfined }: ChangedRecord['parts'][number]): boolean => {
    const right = partOfRecords({ key })?.confined?.right
    return (
      !isConfined ||
      (right !== undefined && deps.permissions.scopeOf(person, right, entity) !== 'none')
    )
  }
  const kinds = new Set(record.parts.filter(sees).map(({ key }) => key))
  return [...kinds].map((part) => ({
    event: 'part',
    data: { entity: entity.key, id: record.id, part },
  }))
}

/** A record with the version that a client has read. */
export type ReadRecord = {
  readonly entity: Entity
  readonly id: number
  readonly version: number
  readonly facts: Facts | undefined
}

/**
 * What a client has missed of records that it has read. Undefined if one of them is not readable now: the client reads it again,
 * and cannot distinguish a record that it may not read from one that does not exist.
 */
export const missedEvents = (
  deps: WatchDeps,
  person: Person,
  records: readonly ReadRecord[],
): readonly WatchEvent[] | undefined => {
  const events: WatchEvent[] = []
  for (const { entity, id, version, facts } of records) {
    const operations = new Set<string>()
    const record = { id, facts, operations, parts: [], entitledBefore: new Set<number>() }
    if (reachOf(deps, person, entity, record) !== 'readable') return undefined
    const event = recordEvent(deps, person, entity, record)
    if (event && facts?.version !== version) events.push(event)
  }
  return events
}

// A change of fields moves no record to another step. In its step, one may lock the actions of others.
const mayChangeApprovals = (deps: WatchDeps, person: Person, changed: ChangedRecords): boolean =>
  queuesOf(deps, person)
    .flatMap(({ entity }) => [
      entity,
      ...lockingLists(deps.catalog, entity).map(({ parent }) => parent),
    ])
    .some((entity) =>
      [...(changed.get(entity.key)?.values() ?? [])].some(
        (record) =>
          [...record.operations].some((operation) => operation !== 'change') &&
          reachOf(deps, person, entity, record) !== 'unknown',
      ),
    )

/** Users see the tasks that are assigned to them, whatever their role. */
const mayChangeTasks = ({ catalog }: WatchDeps, { userId }: Person, changed: ChangedRecords) =>
  [...catalog.entities.values()].some(
    (entity) =>
      isPartOfRecord(entity) &&
      [...(changed.get(entity.key)?.values() ?? [])].some(
        ({ facts, entitledBefore }) => facts?.entitled === userId || entitledBefore.has(userId),
      ),
  )

/** What decides who may know of a record, and which version it has. */
export type Facts = {
  readonly id: number
  readonly version: number
  readonly is_deleted: boolean
  /** Who of the watching users may read it now; null if no role of theirs reads some records of the entity and not others. */
  readonly readers: readonly number[] | null
  /** The same for the record as it was before the changes that were read. */
  readonly readers_before: readonly number[] | null
  readonly updated_by: number | null
  /** The user who has to do with it, such as the assignee of a task. */
  readonly entitled: number | null
}

/** The facts of records of an entity, by id, for the persons who watch, after changes of the history. */
export const readFacts = async (
  { pool, permissions }: Pick<WatchDeps, 'permissions'> & { readonly pool: Pool },
  entity: Entity,
  ids: readonly number[],
  persons: readonly Person[],
  changeIds: readonly number[] = [],
): Promise<ReadonlyMap<number, Facts>> => {
  const [entitled] = entitledColumns(entity)
  const asked = persons.filter(
    (person) => typeof permissions.scopeOf(person, 'read', entity) !== 'string',
  )
  const watching = personOf(sql`w.id`, sql`w.role`)
  const users = ints(asked.map(({ userId }) => userId))
  const roles = texts(asked.map(({ roleKey }) => roleKey))
  const readersOf = (alias: string) => sql`ARRAY(
    SELECT w.id
    FROM unnest(${users}, ${roles}) w(id, role)
    WHERE ${readableBy({ permissions }, entity, alias, watching)}
  )`
  const [now, before] =
    asked.length > 0
      ? [readersOf('t'), sql`CASE WHEN NOT e.is_new THEN ${readersOf('b')} END`]
      : [sql`NULL::integer[]`, sql`NULL::integer[]`]
  const rows = await queryRows<Facts>(
    pool,
    sql`
SELECT t.id, t._version AS version, t._is_deleted AS is_deleted, t._updated_by AS updated_by,
  ${now} AS readers, ${before} AS readers_before,
  ${entitled === undefined ? sql`NULL::integer` : ref(entitled, 't')} AS entitled
FROM ${table(entity)} t${asked.length > 0 ? joinBefore(changeIds) : nothing}
WHERE t.id = ANY (${bound(ids, 'integer[]')})`,
  )
  return new Map(rows.map((facts) => [facts.id, facts]))
}

/** The record `t` as it was before changes, `b`, and whether one of them created it. */
const joinBefore = (changeIds: readonly number[]): Sql => sql`
LEFT JOIN LATERAL (
  SELECT
    coalesce(bool_or(h.operation = 'create'), false) AS is_new,
    coalesce(jsonb_object_agg(c.key, c.value -> 'before' ORDER BY h.id DESC)
      FILTER (WHERE c.key IS NOT NULL), '{}') AS changed
  FROM docket.history h
  LEFT JOIN jsonb_each(h.changes::jsonb) c ON jsonb_typeof(c.value) = 'object' AND c.value ? 'before'
  WHERE h.id = ANY (${bound(changeIds, 'bigint[]')}) AND coalesce(h.part_id, h.entity_id) = t.id
) e ON true
LEFT JOIN LATERAL jsonb_populate_record(t, e.changed) b ON true`

/** The current role of each user who has one. */
export const readRoles = async (
  pool: Pool,
  userIds: readonly number[],
): Promise<ReadonlyMap<number, string>> => {
  const rows = await queryRows<{ id: number; role: string }>(
    pool,
    sql`
SELECT u.id, ${userRoleKeys} AS role
FROM ${usersWithRole}
WHERE u.id = ANY (${bound(userIds, 'integer[]')}) AND r.id IS NOT NULL`,
  )
  return new Map(rows.map(({ id, role }) => [id, wholeRoleKey(role)]))
}
