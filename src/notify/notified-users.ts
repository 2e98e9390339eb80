/** Who was notified of what happened to a record: for all who may read it, as far as they may know. */
import type { Caller } from '../auth/caller.ts'
import { type Queryable, queryRows } from '../database/pool.ts'
import { bigint, int, isoTime, type Sql, sql, table, text, texts } from '../database/sql.ts'
import type { Entity } from '../definitions/catalog.ts'
import { matchRules, type TakenAction } from '../definitions/notification-rules.ts'
import { type NotifiedOperation, notifiedOperations } from '../definitions/operations.ts'
import { channelNames } from '../definitions/schemas/notification-rule.ts'
import { apiError } from '../errors.ts'
import { entityEndpoint } from '../http/endpoint/entity-endpoint.ts'
import { integer } from '../http/endpoint/parameters.ts'
import { component, dataOf, json, objectOf, type ValueOf } from '../http/openapi/operation.ts'
import { counters } from '../inbox/notification.ts'
import { isOfEntry } from '../outbox/delivery.ts'
import { type RecordScope, withoutShared } from '../query/access.ts'
import { compileScope } from '../query/compile-scope.ts'
import { entriesOf, type ScopeOf } from '../records/history.ts'
import { permitHistory } from '../records/read-records.ts'
import { quoted, recordParams } from '../records/record-request.ts'
import type { DecideDeps } from './decide.ts'
import { keysOf } from './event-values.ts'
import { isOpenTo, maxCounted, maxNamed, namingFor, peopleProperties } from './known-people.ts'

const sentEntry = component(
  'SentNotifications',
  objectOf({
    history_id: { type: 'integer', description: 'The entry of the history.' },
    operation: { type: 'string' },
    at: { type: 'string', format: 'date-time', description: 'When it happened.' },
    count: { type: 'integer', minimum: 0, description: 'Users who were notified, each once.' },
    ...peopleProperties({
      channels: {
        type: 'array',
        items: objectOf({
          channel: { type: 'string', enum: ['inbox', ...channelNames] },
          at: {
            type: ['string', 'null'],
            format: 'date-time',
            description: 'When it was sent; null: not yet.',
          },
        }),
      },
    }),
    isPartial: {
      type: 'boolean',
      description:
        'Whether a rule depends on what you may not read; then nobody is counted or named.',
    },
  }),
)
export type SentNotifications = ValueOf<typeof sentEntry>

/** GET /<entity>/<id>/notified. */
export const sentEndpoint = entityEndpoint({
  verb: 'notified',
  method: 'get',
  path: '/{entityId}/notified',
  right: 'read',
  refuse: (entity) =>
    entity.definition.notifications
      ? undefined
      : apiError('request.no-such-path', `The entity ${entity.key} has no notifications.`),
  summary: (entity) => `Who was notified of what happened to a record of ${quoted(entity)}`,
  description:
    'As far as notifications and deliveries are kept. That of a removed record is for callers with the permission `delete` on it.',
  params: recordParams,
  query: {
    limit: integer({ min: 1, max: 100, default: 50, description: 'The most entries.' }),
  },
  answers: () => ({
    200: json(
      'The newest entries of the history of which anybody was notified.',
      dataOf(sentEntry),
    ),
  }),
  handle: async ({ caller, entity, scope, params, query }, deps: DecideDeps) => {
    const { permissions, pool } = deps
    const record = params.entityId
    const readable = { entity, scope: withoutShared(scope) }
    await permitHistory(pool, readable, permissions.scopeOf(caller, 'delete', entity), record)
    const naming = namingFor(deps, caller)
    const rows = await listSent(pool, {
      entity,
      record,
      scopeOf: (right) => permissions.scopeOf(caller, right, entity),
      limit: query.limit,
      maxNamed,
      maxCounted,
      named: naming ?? { callerId: caller.userId, scope: 'none' },
    })
    return {
      data: rows.map((row) => visibleEntry(deps, { caller, entity, row, isNamed: !!naming })),
    }
  },
})

type EntryOf = {
  readonly caller: Caller
  readonly entity: Entity
  readonly row: SentRow
  readonly isNamed: boolean
}

/** What the caller may know of an entry: nothing where it would reveal what a rule has read. */
const visibleEntry = (deps: DecideDeps, { caller, entity, row, isNamed }: EntryOf) => {
  const { history_id, operation, at, count, people } = row
  const changed = keysOf(entity, JSON.parse(row.changed ?? '[]'))
  const told = toldOf[operation] ?? [operation]
  const rules = told.flatMap((one) =>
    matchRules(entity.definition, one, takenAction(entity, row), { changed }),
  )
  const isOpen = rules.every(({ rule }) => isOpenTo(deps, { caller, entity }, rule))
  return {
    history_id,
    operation,
    at,
    count: isOpen ? Math.min(count, maxCounted) : 0,
    hasMore: isOpen && count > maxCounted,
    people: isOpen && isNamed ? (JSON.parse(people) as readonly NamedRow[]).map(shownPerson) : [],
    isPartial: !isOpen,
  }
}

type ShownPerson = SentNotifications['people'][number]

/** A user, and by which channels they were notified, in order, and when: two rules use the same channel twice, the last one last. */
type NamedRow = readonly [
  id: number,
  fullName: string | null,
  channels: readonly ShownPerson['channels'][number]['channel'][],
  times: readonly (string | null)[],
]

const shownPerson = ([id, fullName, channels, times]: NamedRow): ShownPerson => {
  const last = new Map(channels.map((channel, index) => [channel, times[index] ?? null]))
  return {
    id,
    full_name: fullName,
    channels: [...last].map(([channel, at]) => ({ channel, at: at && new Date(at).toISOString() })),
  }
}

/** Of entries about comments, what rules are about. */
const toldOf: Readonly<Record<string, readonly NotifiedOperation[]>> = {
  createComment: ['mention', 'comment'],
  changeComment: ['mention'],
}

/** The action as rules refer to it; its form as the definition has it now. */
const takenAction = ({ definition }: Entity, { action }: SentRow): TakenAction | undefined => {
  if (action === null) return undefined
  const taken: Omit<TakenAction, 'form'> = JSON.parse(action)
  const actions = definition.workflow?.steps.flatMap((step) => step.actions ?? []) ?? []
  return { ...taken, form: actions.find(({ key }) => key === taken.key)?.form }
}

/** An entry of the history, and whom it has notified. */
type SentRow = {
  readonly history_id: number
  readonly operation: string
  /** As JSON. */
  readonly action: string | null
  /** The columns that it changed, as JSON. */
  readonly changed: string | null
  readonly at: string
  /** Up to one more than are counted. */
  readonly count: number
  /** A list of NamedRow as JSON. */
  readonly people: string
}

type SentQuery = {
  readonly entity: Entity
  readonly record: number
  readonly scopeOf: ScopeOf
  readonly limit: number
  /** The users who may be named, and the caller. */
  readonly named: { readonly callerId: number; readonly scope: RecordScope }
  readonly maxNamed: number
  readonly maxCounted: number
}

// The ids of notifications begin with the time of their event in milliseconds, which may be rounded to another one.
const idAt = (shift: number): Sql => sql`(
  lpad(to_hex((extract(epoch FROM h.at) * 1000)::bigint + ${int(shift)}), 12, '0') || repeat('0', 20)
)::uuid`

// As many as a page shows of a history.
const maxExamined = 1_000

const operations = texts([...notifiedOperations, ...Object.keys(toldOf)])

const changedColumns = sql`(SELECT json_agg(name) FROM json_object_keys(h.changes) name)`

const ofRecord = (alias: Sql, { entity, record }: SentQuery): Sql =>
  sql`${alias}.entity_key = ${text(entity.key)} AND ${alias}.entity_id = ${int(record)}`

/** Entries that are examined, as a table. */
const newestEntries = (query: SentQuery): Sql => sql`(
  SELECT h.*
  FROM docket.history h
  WHERE ${entriesOf(query.entity, query.record, query.scopeOf)} AND h.operation = ANY (${operations})
  ORDER BY h.id DESC
  LIMIT ${bigint(maxExamined)}
)`

/** Who was notified of an entry `h`, as far as it matters; a message to a room is for no single user. */
const recipientsOf = (query: SentQuery): Sql => {
  const most = bigint(query.maxCounted + 1)
  return sql`
    (SELECT n.user_id, 'inbox' AS channel, n.timestamp AS at
    FROM docket.notification n
    JOIN ${counters} k ON k.user_id = n.user_id AND n.timestamp >= k.kept_from
    WHERE n._id >= ${idAt(-1)} AND n._id < ${idAt(2)} AND CASE n.history_id
        -- An earlier version has stored it, which says no more.
        WHEN 0 THEN ${ofRecord(sql`n`, query)} AND n.content ->> 'comment_id' IS NOT DISTINCT FROM h.part_id::text
        ELSE n.history_id = h.id
      END
    LIMIT ${most})
    UNION ALL
    (SELECT d.user_id, d.channel, d.sent_at
    FROM docket.mailing m
    JOIN docket.delivery d ON d.mailing_id = m.id
    WHERE ${ofRecord(sql`m`, query)} AND ${isOfEntry}
      AND m.happened_at BETWEEN h.at - interval '1 millisecond' AND h.at + interval '1 millisecond'
      AND d.shared IS NULL
    LIMIT ${most})`
}

/**
 * The newest entries that notified any user, with the number of these users and some names. Which entries these are is asked first, so
 * that the users of no other are read; then those of all entries are grouped and named together, and kept until they are joined with
 * the entries: PostgreSQL, which cannot know how many users there are, would do it again for each entry.
 */
const listSent = (database: Queryable, query: SentQuery): Promise<SentRow[]> => {
  const { limit, named, maxNamed } = query
  const caller = int(named.callerId)
  return queryRows<SentRow>(
    database,
    sql`
WITH entry AS MATERIALIZED (
  SELECT h.*
  FROM ${newestEntries(query)} h
  WHERE EXISTS (${recipientsOf(query)})
  ORDER BY h.id DESC
  LIMIT ${bigint(limit)}
), person AS (
  SELECT h.id AS entry_id, r.user_id,
    array_agg(r.channel ORDER BY r.channel, r.at NULLS FIRST) AS channels,
    array_agg(r.at ORDER BY r.channel, r.at NULLS FIRST) AS times
  FROM entry h
  CROSS JOIN LATERAL (${recipientsOf(query)}
  ) r
  GROUP BY h.id, r.user_id
), ranked AS (
  SELECT p.*, u.id, u.full_name, count(*) OVER of_entry AS count,
    row_number() OVER (of_entry ORDER BY u.id IS NULL, u.id <> ${caller}, u.full_name, u.id) AS place
  FROM person p
  LEFT JOIN ${table('user')} u
    ON u.id = p.user_id AND (u.id = ${caller} OR ${compileScope(named.scope, false, 'u')})
  WINDOW of_entry AS (PARTITION BY p.entry_id)
), told AS MATERIALIZED (
  SELECT r.entry_id, r.count::integer, coalesce(
      json_agg(json_build_array(r.id, r.full_name, r.channels, r.times) ORDER BY r.place)
        FILTER (WHERE r.id IS NOT NULL),
      '[]'
    ) AS people
  FROM ranked r
  WHERE r.place <= ${bigint(maxNamed)}
  GROUP BY r.entry_id, r.count
)
SELECT h.id AS history_id, h.operation, h.action, ${changedColumns} AS changed, ${isoTime('h.at')} AS at,
  t.count, t.people
FROM entry h
JOIN told t ON t.entry_id = h.id
ORDER BY h.id DESC`,
  )
}
