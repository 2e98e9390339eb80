/** The history of a record: who did what and when. It is written in the transaction of the change. */
import type { RecordAuthor } from '../auth/caller.ts'
import type { RecordRight } from '../auth/entity-rights.ts'
import { takeWithinBudget, withinBudget } from '../database/answer-budget.ts'
import { type Queryable, queryRows } from '../database/pool.ts'
import {
  allOf,
  bigint,
  int,
  isoTime,
  isSql,
  join,
  json,
  raw,
  ref,
  type Sql,
  sql,
  table,
  text,
} from '../database/sql.ts'
import { actionKindNames } from '../definitions/action-kinds.ts'
import type { Column, Entity } from '../definitions/catalog.ts'
import { isPartOfRecord, recordParts } from '../definitions/native-entities.ts'
import { recordOperations } from '../definitions/operations.ts'
import type { SqlValue } from '../definitions/values/check-value.ts'
import { component, objectOf, textOrNull, time, type ValueOf } from '../http/openapi/operation.ts'
import type { Access, RecordScope } from '../query/access.ts'
import { compileScope } from '../query/compile-scope.ts'
import type { Page } from '../query/select-plan.ts'
import { readableOfOthers } from '../query/user-visibility.ts'
import { type ChosenEntries, chosenEntries, type IsVisible } from './history-filter.ts'

/** Field by field; a create has no `before`. */
export type Changes = Readonly<
  Record<string, { readonly before?: unknown; readonly after: unknown }>
>

/** The workflow action as the history stores it: the definition may change later. */
type HistoryAction = {
  readonly key: string
  readonly kind: string
  /** Keys of the steps that the record left and reached. */
  readonly from: string
  readonly to: string
}

export type HistoryEntry = {
  readonly entity: Pick<Entity, 'key'>
  /** SQL where only the statement that writes the change knows it. */
  readonly operation: string | Sql
  readonly changes: Changes | Sql
  readonly author: RecordAuthor
  readonly action?: HistoryAction | undefined
  readonly comment?: string | undefined
}

/**
 * Builds the `INSERT` of one entry for each row `c` of a row source, for use in the statement of the change.
 * Changes of a part of a record belong to the history of the record.
 */
export const insertHistory = (
  { entity, operation, changes, author, action, comment }: HistoryEntry,
  rows: Sql,
): Sql => {
  const place = isPartOfRecord(entity)
    ? sql`c.key, c.entity_id, ${text(entity.key)}, c.id`
    : sql`${text(entity.key)}, c.id, NULL::text, NULL::integer`
  return sql`
    INSERT INTO docket.history (
      entity_key, entity_id, part_key, part_id, operation, changes, user_id, acting_user_id, action, comment
    )
    SELECT ${place}, ${isSql(operation) ? operation : text(operation)},
      ${isSql(changes) ? changes : json(changes)},
      ${int(author.userId)}, ${int(author.actingUserId)},
      ${json(historyAction(action))}, ${text(comment ?? null)}
    FROM ${rows}`
}

const historyAction = (action: HistoryAction | undefined) =>
  action && { key: action.key, kind: action.kind, from: action.from, to: action.to }

/** The changes of a create: every value that is set. */
export const changesOfNew = (values: ReadonlyMap<Column, SqlValue>): Changes =>
  Object.fromEntries(
    [...values].flatMap(([column, value]) =>
      value === null ? [] : [[column.name, { after: column.type.toJson(value) }]],
    ),
  )

const historyBytes = `(
  coalesce(octet_length(h.changes::text),0)+coalesce(octet_length(h.comment),0)+coalesce(octet_length(p.said),0)
)::bigint`

/** What is shown of the part of an entry `h` as it is now. OFFSET keeps PostgreSQL from reading all parts of a kind. */
const presentParts: Sql = join(
  [...recordParts].flatMap(([key, { text: said, confined }]) =>
    said === undefined && confined === undefined
      ? []
      : [
          sql`(
      SELECT ${confined ? ref(confined.flag, 'n') : sql`false`} AS confined,
        CASE WHEN NOT n._is_deleted THEN ${said === undefined ? sql`NULL::text` : ref(said, 'n')} END AS said
      FROM ${table(key)} n
      WHERE n.id = h.part_id AND h.part_key = ${text(key)}
      OFFSET 0
    )`,
        ],
  ),
  ' UNION ALL ',
)

export type HistoryRow = {
  readonly id: number
  readonly entity_key: string
  readonly entity_id: number
  readonly operation: string
  /** Of a part of the record: its entity and id. */
  readonly part_key: string | null
  readonly part_id: number | null
  /** What it says now, if such parts have a text and it was not removed. */
  readonly part_text: string | null
  /** Whether it is for those with a permission of its own. */
  readonly part_confined: boolean
  readonly changes: string | null
  readonly action: string | null
  readonly comment: string | null
  readonly user_id: number | null
  readonly full_name: string | null
  readonly acting_user_id: number | null
  readonly acting_name: string | null
  readonly at: string
}

export type ScopeOf = (right: RecordRight) => RecordScope

type HistoryQuery = ChosenEntries & {
  readonly id: number
  readonly page: Page
  /** The records of the entity that a right of the reader covers. */
  readonly scopeOf: ScopeOf
  /** Whether users are named: not if the reader's role hides names. */
  readonly reader: { readonly people: Entity; readonly access: Access }
}

/** Entries of one record and of its parts, the newest first; fields that are hidden are left out. */
export const listHistory = async (database: Queryable, query: HistoryQuery) => {
  const { entity, id, page, isVisible, scopeOf, reader } = query
  const cut = sql`
    SELECT h.*
    FROM docket.history h
    WHERE ${allOf([entriesOf(entity, id, scopeOf), ...chosenEntries(query)])}
    ORDER BY h.id DESC
    LIMIT ${bigint(page.limit)} OFFSET ${bigint(page.offset)}`
  const rows = await readEntries(database, cut, reader)
  return rows.map((row) => shownEntry(row, isVisible))
}

/** The rows of the history that a select chooses, the newest first. */
export const readEntries = (
  database: Queryable,
  chosen: Sql,
  reader: HistoryQuery['reader'],
): Promise<HistoryRow[]> => {
  const changes = raw(withinBudget('h.changes', historyBytes))
  return queryRows<HistoryRow>(
    database,
    sql`
    SELECT h.id, h.entity_key, h.entity_id, h.operation, h.part_key, h.part_id,
      p.said AS part_text, coalesce(p.confined, false) AS part_confined, ${changes} AS changes, h.action, h.comment, h.user_id, u.full_name, h.acting_user_id, a.full_name AS acting_name,
      ${isoTime('h.at')} AS at
    FROM (${chosen}) h
    LEFT JOIN LATERAL (${presentParts}) p ON h.part_id IS NOT NULL
    LEFT JOIN records."user" u ON u.id = h.user_id AND ${mayBeNamed(reader, 'u')}
    LEFT JOIN records."user" a ON a.id = h.acting_user_id AND ${mayBeNamed(reader, 'a')}
    ORDER BY h.id DESC`,
  )
}

/** An entry as an answer shows it, without the fields that are hidden. */
export const shownEntry = (row: HistoryRow, isVisible: IsVisible): UnnamedEntry => ({
  id: row.id,
  operation: row.operation,
  ...shownPart(row),
  changes: Object.fromEntries(
    Object.entries(JSON.parse(takeWithinBudget(row.changes)) as Changes).filter(([name]) =>
      isVisible(name, partKeyOf(row)),
    ),
  ),
  // It names steps, which are hidden like the field that contains them.
  action: row.action !== null && isVisible('_step', undefined) ? JSON.parse(row.action) : null,
  comment: row.comment,
  user: namedUser(row.user_id, row.full_name),
  acting_user: namedUser(row.acting_user_id, row.acting_name),
  at: row.at,
})

/** The entity of the part that an entry is about; undefined: it is about the record itself. */
export const partKeyOf = ({
  part_key: key,
  part_id: id,
}: Pick<HistoryRow, 'part_key' | 'part_id'>): string | undefined =>
  id === null ? undefined : (key ?? undefined)

/** The part that an entry is about, as answers name it; what it says is for readers of the record. */
export const shownPart = (
  row: Pick<HistoryRow, 'part_key' | 'part_id' | 'part_text'>,
  isReader = true,
) => {
  const entity = partKeyOf(row)
  const id = row.part_id
  if (entity === undefined || id === null) return { part: null, task_id: null }
  const said = isReader ? row.part_text : null
  return { part: { entity, id, text: said }, task_id: entity === 'task' ? id : null }
}

export const namedUser = (id: number | null, name: string | null) =>
  id === null ? null : { id, full_name: name }

/** Whether the reader may see the name of the user of an alias; otherwise only the id is shown. */
export const mayBeNamed = ({ people, access }: HistoryQuery['reader'], alias: string): Sql => {
  const name = people.columnsByName.get('full_name')
  return compileScope(
    name ? readableOfOthers(access, people, name) : 'none',
    people.hasOwner,
    alias,
  )
}

/** Whether an entry `h` belongs to the record itself, not to one of its parts. */
export const isHistoryOf = (entity: Pick<Entity, 'key'>, id: Sql): Sql =>
  isPartOfRecord(entity)
    ? sql`h.part_id = ${id} AND h.part_key = ${text(entity.key)}`
    : sql`h.entity_key = ${text(entity.key)} AND h.entity_id = ${id} AND h.part_id IS NULL`

/** Whether an entry `h` is of a record or of a part of it that the reader of the record may see. */
export const entriesOf = (entity: Entity, id: number, scopeOf: ScopeOf): Sql => {
  const record = int(id)
  if (isPartOfRecord(entity)) return isHistoryOf(entity, record)
  const own = sql`h.entity_key = ${text(entity.key)} AND h.entity_id = ${record}`
  const within = (scope: Exclude<RecordScope, 'all'>): Sql => sql`EXISTS (
    SELECT FROM ${table(entity)} r
    WHERE r.id = ${record} AND ${compileScope(scope, entity.hasOwner, 'r')}
  )`
  const limited = [...recordParts].flatMap(([key, { readBy, confined }]) => {
    const isOther = sql`h.part_key <> ${text(key)}`
    // The record itself is read.
    const scope = readBy === 'read' ? 'all' : scopeOf(readBy)
    const ofConfined = confined ? scopeOf(confined.right) : 'all'
    return [
      ...(scope === 'all' ? [] : [sql`(${isOther} OR ${within(scope)})`]),
      ...(ofConfined === 'all' || !confined
        ? []
        : [sql`(${isOther} OR NOT ${isConfined(key, confined.flag)} OR ${within(ofConfined)})`]),
    ]
  })
  return limited.length === 0 ? own : sql`${own} AND (h.part_id IS NULL OR ${allOf(limited)})`
}

/** Whether the part of an entry `h` is for few. */
const isConfined = (part: string, flag: string): Sql => sql`EXISTS (
    SELECT FROM ${table(part)} p WHERE p.id = h.part_id AND ${ref(flag, 'p')}
  )`

const oneOf = new Intl.ListFormat('en-GB', { type: 'disjunction' })

/** A user, whose name the reader may not be allowed to know; null as the description says. */
export const namedUserOr = (description: string) =>
  ({
    description,
    type: ['object', 'null'],
    properties: { id: { type: 'integer' }, full_name: textOrNull },
    required: ['id', 'full_name'],
  }) as const

export type NamedUser = NonNullable<ValueOf<ReturnType<typeof namedUserOr>>>

const properties = {
  id: { type: 'integer' },
  task_id: { type: ['integer', 'null'], description: 'Of an entry about a task of the record.' },
  part: {
    description: 'The part of the record that an entry is about; null: the record itself.',
    type: ['object', 'null'],
    properties: {
      entity: { type: 'string', description: 'Key of its native entity, such as `task`.' },
      id: { type: 'integer' },
      text: {
        type: ['string', 'null'],
        description: 'Of a comment: what it says now; null: it was removed.',
      },
    },
    required: ['entity', 'id', 'text'],
  },
  operation: {
    type: 'string',
    description: `${oneOf.format(recordOperations.map((word) => `\`${word}\``))}.`,
  },
  changes: {
    type: 'object',
    description: 'By field; a create has no `before`. Hidden fields are left out.',
    additionalProperties: {
      type: 'object',
      properties: { before: {}, after: {} },
      required: ['after'],
    },
  },
  action: {
    description: 'The workflow action that was taken, with the steps that were left and reached.',
    type: ['object', 'null'],
    properties: {
      key: { type: 'string' },
      kind: { type: 'string', enum: actionKindNames },
      from: { type: 'string' },
      to: { type: 'string' },
    },
    required: ['key', 'kind', 'from', 'to'],
  },
  comment: textOrNull,
  user: namedUserOr(
    'Who did it; null: the service itself. The name is null for callers who may not read the user.',
  ),
  users: {
    type: 'array',
    items: objectOf({ id: { type: 'integer' }, full_name: textOrNull }),
    description:
      'The users to whom values of `changes` link, such as assignees. Named like `user`.',
  },
  acting_user: namedUserOr(
    'Who really acted, signed in as themselves and acting as `user`; null: `user` themselves. Named like `user`.',
  ),
  at: time,
} as const

export const historyEntry = component('HistoryEntry', {
  ...objectOf(properties),
  examples: [
    {
      id: 40,
      task_id: null,
      part: null,
      operation: 'change',
      changes: { notes: { before: null, after: 'Please ring at the back door.' } },
      action: null,
      comment: null,
      user: { id: 3, full_name: 'Anna Novak' },
      users: [],
      acting_user: null,
      at: '2026-05-04T08:30:00.000Z',
    },
  ],
})

/** An entry with the record that it belongs to. */
export const ownChange = component(
  'OwnChange',
  objectOf({
    entity: { type: 'string', description: 'Key of the entity.' },
    entity_id: { type: 'integer', description: 'Id of the record.' },
    ...properties,
  }),
)
export type ShownEntry = ValueOf<typeof historyEntry>
/** Before the users of its values are named. */
export type UnnamedEntry = Omit<ShownEntry, 'users'>
export type OwnChange = ValueOf<typeof ownChange>
