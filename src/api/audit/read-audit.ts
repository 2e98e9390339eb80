/**
 * Reads the audit: events and entries of the history as one list, the newest first. Which entries are on a page is found by the
 * indexes of both tables, for each by itself; only then is read what they say.
 */
import { type AuditKind, auditKindNames, auditKinds } from '../../audit/audit-kinds.ts'
import type { Caller } from '../../auth/caller.ts'
import { queryOnce, queryRows } from '../../database/pool.ts'
import {
  allOf,
  bigint,
  bound,
  int,
  isoTime,
  join,
  ref,
  type Sql,
  sql,
  text,
  timestamp,
} from '../../database/sql.ts'
import { getEntity } from '../../definitions/catalog.ts'
import { administratorRole } from '../../definitions/checks/check-role.ts'
import { isPartOfRecord } from '../../definitions/native-entities.ts'
import { type RecordOperation, recordOperations } from '../../definitions/operations.ts'
import {
  component,
  objectOf,
  textOrNull,
  time,
  type ValueOf,
} from '../../http/openapi/operation.ts'
import {
  type HistoryRow,
  historyEntry,
  mayBeNamed,
  namedUser,
  namedUserOr,
  readEntries,
  shownPart,
} from '../../records/history.ts'
import { shownEntries } from '../../records/own-changes.ts'
import type { RecordDeps } from '../../records/record-request.ts'

// Entries of the audit as the OpenAPI document describes them (docs/audit.md).

/** What an entry is about: operations of records, and events. */
export const entryKinds: readonly (RecordOperation | AuditKind)[] = [
  // One that is both is in the history of its record, and an event.
  ...new Set<RecordOperation | AuditKind>([...recordOperations, ...auditKindNames]),
]

const kindsInWords = Object.entries(auditKinds)
  .map(([kind, meaning]) => `\`${kind}\`: ${meaning}`)
  .join(' ')

const optionalInteger = { type: ['integer', 'null'] } as const
const { task_id, part, users, action, comment } = historyEntry.properties

export const auditEntry = component(
  'AuditEntry',
  objectOf({
    id: {
      type: 'string',
      description: '`h` and the id of an entry of the history, or `e` and the id of an event.',
      examples: ['h40', 'e12'],
    },
    at: time,
    kind: {
      type: 'string',
      description: `An operation of a record, as in its history, or an event. ${kindsInWords}`,
    },
    user: namedUserOr(
      'Who did it; null: the service, the command line, or a person who is not known. The name is null for callers who may not read the user.',
    ),
    acting_user: namedUserOr('Who really acted, as `user`; null: `user` themselves.'),
    about_user: namedUserOr('The user whom an event concerns.'),
    entity: { ...textOrNull, description: 'Key of the entity.' },
    entity_id: { ...optionalInteger, description: 'Id of the record.' },
    task_id,
    part,
    session_id: {
      ...optionalInteger,
      description: 'Of a browser that signed in, or was signed out.',
    },
    address: { ...textOrNull, description: 'From where the request of an event came.' },
    user_agent: { ...textOrNull, description: 'How its browser names itself.' },
    times: { type: 'integer', description: 'How often; more than once only for refused sign-ins.' },
    detail: {
      type: ['object', 'null'],
      description: 'Of an event: what its kind says. Never a secret.',
      additionalProperties: true,
    },
    changes: {
      ...historyEntry.properties.changes,
      type: ['object', 'null'],
      description:
        'Of an operation of a record: the changed fields, without those that the caller may not see; null if the caller may not read the record.',
    },
    users,
    action,
    comment,
  }),
)

export type AuditEntry = ValueOf<typeof auditEntry>

export type AuditFilter = {
  /** Who did it, or whom it concerns. */
  readonly user?: number | undefined
  readonly kind?: RecordOperation | AuditKind | undefined
  readonly entity?: string | undefined
  /** Id of the record; only with its entity. */
  readonly record?: number | undefined
  /** Times in ISO 8601: not before the first one, and before the second one. */
  readonly from?: string | undefined
  readonly to?: string | undefined
}

const sources = ['h', 'e'] as const
type Source = (typeof sources)[number]

/** A place in the list: that of an entry. Entries of the history come before events of the same time. */
type Place = { readonly at: string; readonly source: Source; readonly id: number }

const place = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)_([he])(\d{1,15})$/

/** Undefined if the text is not one of `printPlace`. */
export const readPlace = (given: string): Place | undefined => {
  const [, at = '', source = '', id = ''] = place.exec(given) ?? []
  const known = sources.find((one) => one === source)
  return known && !Number.isNaN(Date.parse(at)) ? { at, source: known, id: Number(id) } : undefined
}

const printPlace = ({ at, source, id }: Place): string => `${at}_${source}${id}`

type Page = { readonly after: Place | undefined; readonly limit: number }

/** One page, and the place of its last entry if there are more. */
export const readAudit = async (
  deps: RecordDeps,
  caller: Caller,
  filter: AuditFilter,
  { after, limit }: Page,
): Promise<{ readonly data: readonly AuditEntry[]; readonly next: string | null }> => {
  const found = await findPlaces(deps, filter, { after, limit: limit + 1 })
  const places = found.slice(0, limit)
  const entries = await readAll(deps, caller, places)
  const last = places.at(-1)
  return {
    data: places.flatMap((one) => entries.get(`${one.source}${one.id}`) ?? []),
    next: found.length > limit && last ? printPlace(last) : null,
  }
}

/** The places of a page. Planned for its values: a user may have made almost all entries, or none. */
const findPlaces = (
  { pool }: RecordDeps,
  filter: AuditFilter,
  { after, limit }: Page,
): Promise<Place[]> => {
  const within = (source: Source) => [
    ...(filter.from === undefined ? [] : [sql`t.at >= ${timestamp(filter.from)}`]),
    ...(filter.to === undefined ? [] : [sql`t.at < ${timestamp(filter.to)}`]),
    ...(after
      ? [sql`(t.at, t.id) < (${timestamp(after.at)}, ${bigint(idAfter(after, source))})`]
      : []),
  ]
  const part = (source: Source, from: Sql, conditions: readonly Sql[]) => sql`(
    SELECT ${text(source)} AS source, t.id, t.at
    FROM ${from} t
    WHERE ${allOf([...within(source), ...conditions])}
    ORDER BY t.at DESC, t.id DESC
    LIMIT ${bigint(limit)}
  )`
  const isOf = (kinds: readonly string[]) =>
    filter.kind === undefined || kinds.includes(filter.kind)
  const parts = [
    ...(isOf(recordOperations)
      ? ofUser(filter, ['user_id', 'acting_user_id']).map((user) =>
          part('h', sql`docket.history`, [...user, ...ofHistory(filter)]),
        )
      : []),
    ...(isOf(auditKindNames)
      ? ofUser(filter, ['user_id', 'acting_user_id', 'about_user_id']).map((user) =>
          part('e', sql`docket.audit`, [...user, ...ofEvents(filter)]),
        )
      : []),
  ]
  return queryOnce<Place>(
    pool,
    sql`
      SELECT p.source, p.id, ${isoTime('p.at')} AS at
      FROM (${join(parts, ' UNION ALL ')}) p
      ORDER BY p.at DESC, p.source DESC, p.id DESC
      LIMIT ${bigint(limit)}`,
  )
}

/** Below which id entries of the same time follow. */
const idAfter = (after: Place, source: Source): number => {
  if (source === after.source) return after.id
  return source === 'h' ? 0 : Number.MAX_SAFE_INTEGER
}

/**
 * The parts of a list in which a user is in one of these columns: by the index of each, in the order of time. One condition on all of
 * them would be planned by their numbers as if each user's entries were spread evenly. No entry is in two parts.
 */
const ofUser = ({ user }: AuditFilter, columns: readonly string[]): readonly (readonly Sql[])[] =>
  user === undefined
    ? [[]]
    : columns.map((column, at) => [
        sql`${ref(column, 't')} = ${int(user)}`,
        ...columns
          .slice(0, at)
          .map((other) => sql`${ref(other, 't')} IS DISTINCT FROM ${int(user)}`),
      ])

const ofHistory = ({ kind, entity, record }: AuditFilter): readonly Sql[] => [
  ...(kind === undefined ? [] : [sql`t.operation = ${text(kind)}`]),
  // What the index of seldom operations is about, as it says it.
  ...(kind === undefined || often.has(kind)
    ? []
    : [sql`t.operation NOT IN ('create', 'change', 'proceedToStep')`]),
  ...(entity === undefined ? [] : ofEntity(entity, record)),
  ...(kind === undefined || kind === 'anonymise' ? [isNoEvent] : []),
]

/** What is an event too, in the same transaction, is listed once, as long as the event is there: it says more. */
const isNoEvent = sql`(
  t.operation <> 'anonymise' OR NOT EXISTS (
    SELECT FROM docket.audit e
    WHERE e.entity_key = t.entity_key AND e.entity_id = t.entity_id AND e.kind = 'anonymise' AND e.at = t.at
  ))`

const often: ReadonlySet<string> = new Set(['create', 'change', 'proceedToStep'])

const ofEntity = (key: string, record: number | undefined): readonly Sql[] =>
  isPartOfRecord({ key })
    ? [
        record === undefined ? sql`t.part_id IS NOT NULL` : sql`t.part_id = ${int(record)}`,
        sql`t.part_key = ${text(key)}`,
      ]
    : [
        sql`t.entity_key = ${text(key)}`,
        ...(record === undefined ? [] : [sql`t.entity_id = ${int(record)}`]),
      ]

const ofEvents = ({ kind, entity, record }: AuditFilter): readonly Sql[] => [
  ...(kind === undefined ? [] : [sql`t.kind = ${text(kind)}`]),
  ...(entity === undefined ? [] : [sql`t.entity_key = ${text(entity)}`]),
  ...(record === undefined ? [] : [sql`t.entity_id = ${int(record)}`]),
]

const readAll = async (deps: RecordDeps, caller: Caller, places: readonly Place[]) => {
  const { catalog, permissions, pool } = deps
  const reader = { people: getEntity(catalog, 'user'), access: permissions.accessOf(caller) }
  const idsOf = (source: Source) =>
    bound(
      places.filter((one) => one.source === source).map(({ id }) => id),
      'bigint[]',
    )
  const chosen = sql`SELECT h.* FROM docket.history h WHERE h.id = ANY (${idsOf('h')})`
  const rows = await readEntries(pool, chosen, reader)
  const shown = await shownEntries(deps, caller, rows)
  const events = await readEvents(deps, caller, idsOf('e'), reader)
  return new Map<string, AuditEntry>([
    ...rows.map((row) => [`h${row.id}`, ofRow(row, shown.get(row.id))] as const),
    ...events.map((row) => [`e${row.id}`, ofEvent(row)] as const),
  ])
}

const noEvent = {
  about_user: null,
  session_id: null,
  address: null,
  user_agent: null,
  times: 1,
  detail: null,
} as const

type Shown = typeof shownEntries extends (...given: never) => Promise<ReadonlyMap<number, infer T>>
  ? T
  : never

/** That it happened is for all who read the audit; what, for those who may read the record. */
const ofRow = (row: HistoryRow, shown: Shown | undefined): AuditEntry => ({
  ...noEvent,
  id: `h${row.id}`,
  at: row.at,
  kind: row.operation,
  user: namedUser(row.user_id, row.full_name),
  acting_user: namedUser(row.acting_user_id, row.acting_name),
  entity: row.entity_key,
  entity_id: row.entity_id,
  ...shownPart(row, shown !== undefined),
  changes: shown?.changes ?? null,
  users: shown?.users ?? [],
  action: shown?.action ?? null,
  comment: shown?.comment ?? null,
})

type EventRow = {
  readonly id: number
  readonly at: string
  readonly kind: string
  readonly user_id: number | null
  readonly user_name: string | null
  readonly acting_user_id: number | null
  readonly acting_user_name: string | null
  readonly about_user_id: number | null
  readonly about_user_name: string | null
  readonly entity_key: string | null
  readonly entity_id: number | null
  readonly session_id: number | null
  readonly address: string | null
  readonly user_agent: string | null
  readonly times: number
  readonly detail: string
}

/** The detail has ids; the names of keys are known to administrators, and those of users to who may read them. */
const readEvents = (
  { pool }: RecordDeps,
  { roleKey }: Caller,
  ids: Sql,
  reader: Parameters<typeof mayBeNamed>[0],
): Promise<EventRow[]> =>
  queryRows<EventRow>(
    pool,
    sql`
      SELECT e.id, ${isoTime('e.at')} AS at, e.kind, e.user_id, u.full_name AS user_name,
        e.acting_user_id, a.full_name AS acting_user_name, e.about_user_id, o.full_name AS about_user_name,
        e.entity_key, e.entity_id, e.session_id, e.address, e.user_agent, e.times,
        e.detail || jsonb_strip_nulls(jsonb_build_object('key_name', k.name, 'to_name', w.full_name)) AS detail
      FROM docket.audit e
      LEFT JOIN records."user" u ON u.id = e.user_id AND ${mayBeNamed(reader, 'u')}
      LEFT JOIN records."user" a ON a.id = e.acting_user_id AND ${mayBeNamed(reader, 'a')}
      LEFT JOIN records."user" o ON o.id = e.about_user_id AND ${mayBeNamed(reader, 'o')}
      LEFT JOIN records."user" w
        ON e.kind = 'leave' AND w.id = (e.detail ->> 'to')::integer AND ${mayBeNamed(reader, 'w')}
      LEFT JOIN docket.api_key k
        ON k.id = (e.detail ->> 'key_id')::integer AND ${bound(roleKey === administratorRole, 'boolean')}
      WHERE e.id = ANY (${ids})`,
  )

const ofEvent = (row: EventRow): AuditEntry => ({
  id: `e${row.id}`,
  at: row.at,
  kind: row.kind,
  user: namedUser(row.user_id, row.user_name),
  acting_user: namedUser(row.acting_user_id, row.acting_user_name),
  about_user: namedUser(row.about_user_id, row.about_user_name),
  entity: row.entity_key,
  entity_id: row.entity_id,
  task_id: null,
  part: null,
  session_id: row.session_id,
  address: row.address,
  user_agent: row.user_agent,
  times: row.times,
  detail: JSON.parse(row.detail),
  changes: null,
  users: [],
  action: null,
  comment: null,
})
