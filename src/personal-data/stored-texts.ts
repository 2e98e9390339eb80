/** Where the service keeps texts that may name a person, besides the record itself: a row for each column. */
import { execute, type Pool, type Queryable, queryCount, queryRows } from '../database/pool.ts'
import { allOf, int, raw, ref, type Sql, sql, table, text, texts } from '../database/sql.ts'
import { createForget, mayContain } from './searched-texts.ts'

/** What was anonymised, and which texts of it are looked for. */
export type Forgotten = {
  readonly entityKey: string
  readonly entityId: number
  /** Whether it is a user. */
  readonly isUser: boolean
  /** Whether the record itself is gone. */
  readonly isPurged?: boolean
  readonly searched: readonly string[]
  /** What stands in place of them. */
  readonly placeholder: string
  /** The job that looks for them: its payload has them itself. */
  readonly jobId?: string
}

/** A column of texts. */
type StoredText = {
  readonly name: string
  readonly rows: Sql
  /** Tells rows apart; its type follows. */
  readonly key: Sql
  readonly keyType: 'uuid' | 'bigint' | 'text'
  readonly column: string
  readonly type: 'json' | 'text'
  /** Whether its texts are JSON, in a column of either type. */
  readonly isJson: boolean
  /** The rows in question; by default all. */
  readonly within?: (forgotten: Forgotten) => Sql
  /** Of them, those that are not about the record itself, whose own traces are counted already. */
  readonly elsewhere?: (forgotten: Forgotten) => Sql
}

const byId = { key: sql`t.id`, keyType: 'bigint' } as const
const asJson = { type: 'json', isJson: true } as const
const asText = { type: 'text', isJson: false } as const
const job = { ...byId, name: 'job', rows: sql`docket.job` }
const delivery = { ...byId, name: 'delivery', rows: sql`docket.delivery` }
const history = { ...byId, name: 'history', rows: sql`docket.history` }
const task = { ...byId, name: 'task', rows: table('task') }
const comment = { ...byId, name: 'comment', rows: table('comment') }
const view = { ...byId, name: 'saved_view', rows: table('saved_view') }
const notification = {
  name: 'notification',
  rows: sql`docket.notification`,
  key: sql`t._id`,
  keyType: 'uuid',
} as const
const answer = {
  name: 'idempotency_key',
  rows: sql`docket.idempotency_key`,
  key: sql`(t.user_id || ' ' || t.key)`,
  keyType: 'text',
} as const

const isOtherJob = ({ jobId }: Forgotten) =>
  jobId === undefined ? sql`true` : sql`t.id::text <> ${text(jobId)}`

/** The parts of the record: people write about it there. */
const ofParts = ({ entityKey, entityId }: Forgotten) =>
  sql`t.key = ${text(entityKey)} AND t.entity_id = ${int(entityId)}`

const ofPartHistory = ({ entityKey, entityId }: Forgotten) =>
  sql`t.entity_key = ${text(entityKey)} AND t.entity_id = ${int(entityId)} AND t.part_id IS NOT NULL`

/** What a user has written with their actions stays, without their own name. */
const byUser = ({ isUser, entityId }: Forgotten) =>
  isUser ? sql`t.user_id = ${int(entityId)}` : sql`false`

const isOfOther = ({ entityKey, entityId }: Forgotten) =>
  sql`(t.entity_key <> ${text(entityKey)} OR t.entity_id <> ${int(entityId)})`

const isJobOfOther = ({ entityKey, entityId }: Forgotten) => sql`
  (t.payload ->> 'entity_key', t.payload ->> 'entity_id')
    IS DISTINCT FROM (${text(entityKey)}, ${text(String(entityId))})`

const isOtherAnswer = ({ entityKey, entityId }: Forgotten) =>
  sql`NOT coalesce(t.headers ->> 'Location' LIKE '%/' || ${text(`${entityKey}/${entityId}`)}, false)`

const ofViews = () => sql`t.entity_key = 'saved_view'`

const storedTexts: readonly StoredText[] = [
  { ...notification, ...asJson, column: 'content', elsewhere: isOfOther },
  { ...job, ...asJson, column: 'payload', within: isOtherJob, elsewhere: isJobOfOther },
  { ...job, ...asText, column: 'last_error', within: isOtherJob, elsewhere: () => sql`false` },
  { ...delivery, ...asJson, column: 'shared' },
  { ...delivery, ...asText, column: 'last_error' },
  { ...answer, type: 'text', isJson: true, column: 'body', elsewhere: isOtherAnswer },
  { ...history, ...asText, column: 'comment', within: byUser, elsewhere: isOfOther },
  { ...history, ...asJson, column: 'changes', within: ofPartHistory, elsewhere: isOfOther },
  { ...history, ...asJson, column: 'changes', within: ofViews },
  { ...task, ...asText, column: 'description', within: ofParts },
  { ...task, ...asText, column: 'payload', within: ofParts },
  { ...comment, ...asText, column: 'text', within: ofParts },
  { ...view, ...asText, column: 'name' },
  { ...view, ...asJson, column: 'criteria' },
]

const batchSize = 500

/** Puts the placeholder into the texts of every column, a batch at a time. */
export const forgetStoredTexts = async (pool: Pool, forgotten: Forgotten): Promise<void> => {
  if (forgotten.searched.length === 0) return
  const forget = createForget(forgotten.searched, forgotten.placeholder)
  for (const one of storedTexts)
    for (let after: string | undefined; ; ) {
      const rows = await findRows(pool, one, forgotten, after)
      await replaceIn(pool, one, rows, forget)
      after = rows.at(-1)?.key
      if (rows.length < batchSize) break
    }
}

/** By table, the number of rows that may name the person and are not about them. */
export const countStoredTexts = async (
  database: Queryable,
  forgotten: Forgotten,
): Promise<ReadonlyMap<string, number>> => {
  const counts = new Map<string, number>()
  if (forgotten.searched.length === 0) return counts
  for (const one of storedTexts) {
    const select = sql`
      SELECT count(*) AS rows
      FROM ${one.rows} t
      WHERE ${isMeant(one, forgotten)} AND ${one.elsewhere?.(forgotten) ?? sql`true`}`
    const found = await queryCount(database, select)
    counts.set(one.name, (counts.get(one.name) ?? 0) + found)
  }
  return counts
}

type Row = { readonly key: string; readonly value: string }

const textOf = ({ column }: StoredText): Sql => sql`${ref(column, 't')}::text`

const isMeant = (one: StoredText, forgotten: Forgotten): Sql =>
  allOf([
    one.within?.(forgotten) ?? sql`true`,
    mayContain(textOf(one), forgotten.searched, one.isJson),
  ])

const asKey = (value: Sql, { keyType }: StoredText): Sql => sql`${value}::${raw(keyType)}`

const findRows = (
  database: Queryable,
  one: StoredText,
  forgotten: Forgotten,
  after: string | undefined,
): Promise<Row[]> => {
  const next = after === undefined ? sql`true` : sql`${one.key} > ${asKey(text(after), one)}`
  return queryRows<Row>(
    database,
    sql`
      SELECT ${one.key}::text AS key, ${textOf(one)} AS value
      FROM ${one.rows} t
      WHERE ${next} AND ${isMeant(one, forgotten)}
      ORDER BY ${one.key}
      LIMIT ${int(batchSize)}`,
  )
}

/** A row that has changed meanwhile stays as it is: the job looks again at the end. */
const replaceIn = async (
  database: Queryable,
  one: StoredText,
  rows: readonly Row[],
  forget: (value: string, isJson: boolean) => string,
): Promise<void> => {
  const changed = rows
    .map((row) => ({ ...row, next: forget(row.value, one.isJson) }))
    .filter(({ value, next }) => next !== value)
  if (changed.length === 0) return
  const listed = (read: (row: (typeof changed)[number]) => string) => texts(changed.map(read))
  const update = sql`
    UPDATE ${one.rows} t
    SET ${ref(one.column)} = n.next::${raw(one.type)}
    FROM unnest(
      ${listed(({ key }) => key)}, ${listed(({ value }) => value)}, ${listed(({ next }) => next)}
    ) n(key, value, next)
    WHERE ${one.key} = ${asKey(sql`n.key`, one)} AND ${textOf(one)} = n.value`
  await execute(database, update)
}
