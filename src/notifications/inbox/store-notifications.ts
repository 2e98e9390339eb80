/** Stores notifications, once however often it is tried: a row for each recipient, with its counters. */
import { type Queryable, queryRows } from '../../database/pool.ts'
import { bound, join, raw, type Sql, sql, toStatement } from '../../database/sql.ts'
import type { Mailing } from '../../deliveries/delivery.ts'
import {
  mailingColumns,
  mailingRow,
  opening,
  queueing,
  queueingOutcome,
} from '../../deliveries/queue-deliveries.ts'
import type { Occasion, StoredContent } from './notification.ts'
import { changedChannel, counters, notifications } from './notification.ts'

/** The recipients, with one content for all, or one for each in the same order. */
export type Recipients =
  | { readonly userIds: readonly number[]; readonly content: StoredContent }
  | { readonly userIds: readonly number[]; readonly contents: readonly StoredContent[] }

/** Notifications of one event, sent by e-mail too where there is a mailing. */
export type NotificationBatch = {
  readonly occasion: Occasion
  readonly recipients: Recipients
  readonly mailing?: Mailing
}

export type Stored = {
  /** How many are new. */
  readonly stored: number
  /** Who was to get an e-mail and has no address. */
  readonly unreachable: readonly number[]
}

/**
 * Stores the notifications of different occasions, and queues their e-mails, in one statement; answers
 * in their order. The counters of the recipients stay locked until the commit, so in a transaction
 * store last. Wake the readers when it is committed.
 */
export const storeNotifications = async (
  database: Queryable,
  batches: readonly NotificationBatch[],
): Promise<readonly Stored[]> => {
  const statement = storing(batches)
  const count = batches.reduce((sum, { recipients }) => sum + recipients.userIds.length, 0)
  for (let again = 0; ; again++)
    try {
      const rows = await run(database, count, statement)
      return rows.map(({ stored, unreachable }) => ({
        stored,
        unreachable: JSON.parse(unreachable),
      }))
    } catch (error) {
      if (again === maxAgain || !isRace(error)) throw error
    }
}

// Two workers on one job: the later one fails on what the earlier one has stored while it waited, and
// finds all of it when it looks again.
const maxAgain = 10
const raceStates = ['23505', '40P01']
const isRace = (error: unknown): boolean =>
  raceStates.includes((error as { readonly code?: string }).code ?? '')

type Row = { readonly stored: number; readonly unreachable: string }

/** How many people are few: their statements may be gathered and planned for good. */
export const fewPeople = 100

// A plan made for ten recipients is no plan for ten thousand.
const run = async (database: Queryable, count: number, statement: Sql): Promise<Row[]> =>
  count > fewPeople
    ? (await database.query<Row>(toStatement(statement))).rows
    : queryRows<Row>(database, toStatement(statement))

/**
 * Of each occasion its people and contents; no counter is locked before its mailing is. One who is
 * told of several at once gets a millisecond for each, and a clock that was put back puts none before
 * an earlier one of the same user.
 */
const storing = (batches: readonly NotificationBatch[]): Sql =>
  sql`WITH occasion AS MATERIALIZED (
  SELECT * FROM json_to_recordset(${bound(JSON.stringify(batches.map(occasionRow)), 'json')}) AS o(ord integer, event text, entry text, entity_key text, entity_id integer, at timestamptz, ${raw(mailingColumns)})
    JOIN unnest(${bound(batches.map(dataOf), 'json[]')}) WITH ORDINALITY AS d(data, place) ON d.place = o.ord + 1
), ${opening}, told AS MATERIALIZED (
  SELECT o.ord, o.event, o.entry, o.entity_key, o.entity_id, o.at, o.operation, m.id AS mailing_id, m.state AS mailing_state
  FROM occasion o LEFT JOIN opened m ON m.event = o.event AND m.entry = o.entry
), given AS MATERIALIZED (
  SELECT DISTINCT ON (r.user_id, r.ord) r.user_id, r.ord, t.entity_key, t.entity_id, t.mailing_id, c.content, docket.notification_id(t.at, t.event, t.entry, r.user_id) AS _id
  FROM ${peopleOf(batches)} JOIN told t ON t.ord = r.ord ORDER BY r.user_id, r.ord
), ${queueing}, fresh AS MATERIALIZED (
  SELECT g.*, count(*) OVER (PARTITION BY g.user_id ORDER BY g.ord DESC) - 1 AS later
  FROM given g WHERE NOT EXISTS (SELECT FROM ${raw(notifications)} n WHERE n._id = g._id)
), counted AS (
  INSERT INTO ${raw(counters)} AS c (user_id, total, unseen, last_at)
  SELECT user_id, count(*), count(*), date_trunc('milliseconds', clock_timestamp()) + max(later) * interval '1 millisecond' FROM fresh GROUP BY user_id ORDER BY user_id
  ON CONFLICT (user_id) DO UPDATE SET total = c.total + excluded.total, unseen = c.unseen + excluded.unseen,
    last_at = greatest(date_trunc('milliseconds', clock_timestamp()), c.last_at + interval '1 millisecond') + (excluded.total - 1) * interval '1 millisecond'
  RETURNING c.user_id, c.last_at
), stored AS (
  INSERT INTO ${raw(notifications)} (_id, timestamp, user_id, entity_id, entity_key, content)
  SELECT f._id, c.last_at - f.later * interval '1 millisecond', f.user_id, f.entity_id, f.entity_key, f.content
  FROM fresh f JOIN counted c ON c.user_id = f.user_id
) SELECT (SELECT count(*)::integer FROM fresh f WHERE f.ord = o.ord) AS stored, ${queueingOutcome} FROM occasion o ORDER BY o.ord`

// By itself, for what is inside JSON is read as text, and no text may hold NUL.
const dataOf = ({ mailing }: NotificationBatch): string | null =>
  mailing ? JSON.stringify(mailing.data) : null

const occasionRow = ({ occasion, mailing }: NotificationBatch, ord: number): object => {
  const { event, entry, entityKey, entityId, at } = occasion
  const row = { ord, event, entry, entity_key: entityKey, entity_id: entityId, at }
  return mailing ? { ...row, ...mailingRow(mailing) } : row
}

/** A user each, with the number of the occasion and of the content: what is told to all is sent once. */
const peopleOf = (batches: readonly NotificationBatch[]): Sql => {
  const users: number[] = []
  const ords: number[] = []
  const places: number[] = []
  const contents: string[] = []
  for (const [ord, { recipients }] of batches.entries())
    for (const [index, userId] of recipients.userIds.entries()) {
      if ('contents' in recipients) contents.push(contentText(recipients.contents[index]))
      else if (index === 0) contents.push(contentText(recipients.content))
      users.push(userId)
      ords.push(ord)
      places.push(contents.length)
    }
  const people = [users, ords, places].map((numbers) => bound(numbers, 'integer[]'))
  return sql`unnest(${join(people, ', ')}) AS r(user_id, ord, place) JOIN unnest(${bound(contents, 'json[]')}) WITH ORDINALITY AS c(content, place) ON c.place = r.place`
}

// Templates may cut within a character, or make NUL: PostgreSQL reads neither as text.
const contentText = (content: StoredContent | undefined): string =>
  JSON.stringify(content, (_name, value) =>
    typeof value === 'string' ? value.replaceAll('\0', '\ufffd').toWellFormed() : value,
  )

// A payload holds 8,000 bytes; past so many users every process looks at all of its own.
const maxNamed = 500

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
  sql`CASE WHEN count(*) > 0 THEN pg_notify(${bound(changedChannel, 'text')}, CASE WHEN count(*) > ${bound(maxNamed, 'integer')} THEN '*' ELSE string_agg(${raw(userId)}::text, ',') END) END AS told`
