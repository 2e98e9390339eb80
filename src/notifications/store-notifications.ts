/** Stores what people are told, once however often it is tried: a row each, counted; then it is pushed. */
import { type Queryable, queryRows } from '../database/pool.ts'
import { bound, join, raw, type Sql, sql, toStatement } from '../database/sql.ts'
import type { Mailing } from '../email/delivery.ts'
import { queueing, queueingOutcome } from '../email/queue-deliveries.ts'
import type { Occasion, StoredContent } from './notification.ts'
import { changedChannel, counters, notifications } from './notification.ts'

/** Who is told; the same to all, or to each their own in the same order. */
export type Recipients =
  | { readonly userIds: readonly number[]; readonly content: StoredContent }
  | { readonly userIds: readonly number[]; readonly contents: readonly StoredContent[] }

export type Stored = {
  /** How many are new. */
  readonly stored: number
  /** Who was to get an e-mail and has no address. */
  readonly unreachable: readonly number[]
}

/**
 * Stores the notifications of one occasion, and queues their e-mails where there is a mailing, in one
 * statement. The counters of the recipients stay locked until the commit, so in a transaction store
 * last. Wake the readers when it is committed.
 */
export const storeNotifications = async (
  database: Queryable,
  occasion: Occasion,
  recipients: Recipients,
  mailing?: Mailing,
): Promise<Stored> => {
  if (recipients.userIds.length === 0) return { stored: 0, unreachable: [] }
  const { at } = occasion
  const { userIds } = recipients
  const statement = mailing
    ? sql`WITH ${queueing(mailing, { at, userIds })}, ${storing(occasion, recipients, raw('CROSS JOIN opened'))} SELECT ${outcome}, ${queueingOutcome}`
    : sql`WITH ${storing(occasion, recipients, raw(''))} SELECT ${outcome}, '[]' AS unreachable`
  for (let again = 0; ; again++)
    try {
      const [row] = await run(database, recipients, statement)
      return { stored: row?.stored ?? 0, unreachable: JSON.parse(row?.unreachable ?? '[]') }
    } catch (error) {
      if (again === mostAgain || !isRace(error)) throw error
    }
}

const outcome = raw('(SELECT count(*)::integer FROM stored) AS stored')

// Two workers on one job: the later one fails on what the earlier one has stored while it waited, and
// finds all of it when it looks again.
const mostAgain = 10
const raceStates = ['23505', '40P01']
const isRace = (error: unknown): boolean =>
  raceStates.includes((error as { readonly code?: string }).code ?? '')

type Row = { readonly stored: number; readonly unreachable: string }

// A plan made for ten recipients is no plan for ten thousand.
const mostPlanned = 100

const run = async (database: Queryable, { userIds }: Recipients, statement: Sql): Promise<Row[]> =>
  userIds.length > mostPlanned
    ? (await database.query<Row>(toStatement(statement))).rows
    : queryRows<Row>(database, toStatement(statement))

/** A clock that was put back does not put a notification before an earlier one of the same user. */
const nextMoment = sql`greatest(date_trunc('milliseconds', clock_timestamp()), c.last_at + interval '1 millisecond')`

/** Parts of a WITH that store what is not stored yet; no counter is locked before `after`. */
const storing = (occasion: Occasion, recipients: Recipients, after: Sql): Sql => {
  const { event, entry, entityKey, entityId, at } = occasion
  const id = sql`docket.notification_id(${bound(at, 'timestamptz')}, ${bound(event, 'text')}, ${bound(entry, 'text')}, r.user_id)`
  return sql`given AS MATERIALIZED (
  SELECT DISTINCT ON (r.user_id) r.user_id, r.content, ${id} AS _id
  FROM ${rowsOf(recipients)} ${after} ORDER BY r.user_id
), fresh AS MATERIALIZED (
  SELECT g.* FROM given g WHERE NOT EXISTS (SELECT FROM ${raw(notifications)} n WHERE n._id = g._id)
), counted AS (
  INSERT INTO ${raw(counters)} AS c (user_id, total, unseen, last_at)
  SELECT user_id, 1, 1, date_trunc('milliseconds', clock_timestamp()) FROM fresh ORDER BY user_id
  ON CONFLICT (user_id) DO UPDATE SET total = c.total + 1, unseen = c.unseen + 1, last_at = ${nextMoment}
  RETURNING c.user_id, c.last_at
), stored AS (
  INSERT INTO ${raw(notifications)} (_id, timestamp, user_id, entity_id, entity_key, content)
  SELECT f._id, c.last_at, f.user_id, ${bound(entityId, 'integer')}, ${bound(entityKey, 'text')}, f.content
  FROM fresh f JOIN counted c ON c.user_id = f.user_id
  RETURNING user_id
)`
}

const rowsOf = (recipients: Recipients): Sql => {
  const ids = bound(recipients.userIds, 'integer[]')
  if ('content' in recipients) {
    const content = bound(JSON.stringify(recipients.content), 'json')
    return sql`(SELECT user_id, ${content} AS content FROM unnest(${ids}) AS u(user_id)) r`
  }
  const contents = recipients.contents.map((content) => JSON.stringify(content))
  return sql`unnest(${ids}, ${bound(contents, 'json[]')}) AS r(user_id, content)`
}

// A payload holds 8,000 bytes; past so many users every process looks at all of its own.
const mostNamed = 500

/**
 * Tells every process that people have new notifications, also where an earlier try has stored them.
 * After the commit and not within: a transaction that notifies holds up every other such one until it
 * is on the disk, while one that does nothing else has nothing to write.
 */
export const wakeReaders = async (
  database: Queryable,
  userIds: readonly number[],
  ...others: readonly Sql[]
): Promise<void> => {
  if (userIds.length === 0) return
  const readers = sql`(SELECT ${tell('u')} FROM unnest(${bound(userIds, 'integer[]')}) u)`
  await queryRows(database, toStatement(sql`SELECT ${join([readers, ...others], ', ')}`))
}

/** Aggregate that tells every process whose notifications have changed, where there is a change. */
export const tell = (userId: string): Sql =>
  sql`CASE WHEN count(*) > 0 THEN pg_notify(${bound(changedChannel, 'text')}, CASE WHEN count(*) > ${bound(mostNamed, 'integer')} THEN '*' ELSE string_agg(${raw(userId)}::text, ',') END) END AS told`
