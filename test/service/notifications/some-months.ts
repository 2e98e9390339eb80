/** Months of notifications: which partitions there are, months of the past, and what the counters should be. */
import assert from 'node:assert/strict'
import type { Pool } from '../../../src/database/pool.ts'
import { firstId, listOwnMonths } from '../../../src/inbox/months.ts'

const dayMs = 86_400_000

/** A time so many days ago, in ISO 8601. */
export const daysAgo = (days: number): string => new Date(Date.now() - days * dayMs).toISOString()

/** The bounds of all partitions as times; none where there is no bound. */
export const boundsOf = async (pool: Pool): Promise<(string | undefined)[][]> =>
  (await listOwnMonths(pool)).map(({ from, until }) => [isoOf(from), isoOf(until)])

const isoOf = (time: number | undefined) =>
  time === undefined ? undefined : new Date(time).toISOString()

/** Divides a table without notifications at these times, as if months had been made then. */
export const divideAt = async (pool: Pool, times: readonly string[]): Promise<void> => {
  const [first] = await listOwnMonths(pool)
  assert.equal(first?.until, undefined, 'the table is not divided')
  const ends = times.map((time) => `'${firstId(Date.parse(time))}'`)
  await pool.query(`ALTER TABLE docket.notification DETACH PARTITION docket.notification_earlier`)
  for (const [index, from] of ['MINVALUE', ...ends].entries()) {
    const table = index === 0 ? 'docket.notification_earlier' : `docket.notification_past_${index}`
    if (index > 0)
      await pool.query(`CREATE TABLE ${table} (LIKE docket.notification_earlier INCLUDING ALL)`)
    await pool.query(
      `ALTER TABLE docket.notification ATTACH PARTITION ${table}
       FOR VALUES FROM (${from}) TO (${ends[index] ?? 'MAXVALUE'})`,
    )
  }
}

/** Makes the table empty and undivided, as it is before months are made. */
export const undivide = async (pool: Pool): Promise<void> => {
  await pool.query('TRUNCATE docket.notification, docket.notification_count')
  const { rows } = await pool.query<{ name: string }>(
    `SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = 'docket.notification'::regclass`,
  )
  const tables = rows.map(({ name }) => name)
  await pool.query(
    `CREATE TABLE docket.notification_new (LIKE ${tables[0]} INCLUDING ALL);
     DROP TABLE ${tables.join(', ')};
     ALTER TABLE docket.notification_new RENAME TO notification_earlier;
     ALTER TABLE docket.notification ATTACH PARTITION docket.notification_earlier FOR VALUES FROM (MINVALUE) TO (MAXVALUE)`,
  )
}

type Told = {
  readonly users: readonly number[]
  /** Of the event. */
  readonly at: string
  /** When it was stored; default: then. */
  readonly stored?: string
  readonly count?: number
  readonly seen?: boolean
}

let told = 0

/** Stores notifications of the past, each user's a second apart, and counts them. */
export const tell = async (
  pool: Pool,
  { users, at, stored = at, count = 1, seen = false }: Told,
): Promise<void> => {
  await pool.query(
    `INSERT INTO docket.notification (_id, user_id, entity_key, entity_id, content, timestamp, seen)
     SELECT docket.notification_id($2::timestamptz + i * interval '1 second', $5 || ' ' || i, '0', u), u, 'order', i,
       '{"icon":"bell","title":"Told","message":"","url":null,"due_at":null}', $3::timestamptz + i * interval '1 second', $6
     FROM unnest($1::integer[]) u, generate_series(1, $4) i`,
    [users, at, stored, count, `told-${++told}`, seen],
  )
  await pool.query(
    `INSERT INTO docket.notification_count AS c (user_id, total, unseen, last_at, apart)
     SELECT u, $2, CASE WHEN $3 THEN 0 ELSE $2 END, $4::timestamptz + $2 * interval '1 second',
       $4::timestamptz - $5::timestamptz + interval '1 second'
     FROM unnest($1::integer[]) u
     ON CONFLICT (user_id) DO UPDATE SET total = c.total + excluded.total, unseen = c.unseen + excluded.unseen,
       last_at = greatest(c.last_at, excluded.last_at), apart = greatest(c.apart, excluded.apart)`,
    [users, count, seen, stored, at],
  )
}

/** Asserts that the counters of all users are those of what is kept. */
export const assertCounted = async (pool: Pool): Promise<void> => {
  const { rows } = await pool.query(
    `SELECT c.user_id, c.total, c.unseen, k.total AS kept, k.unseen AS kept_unseen
     FROM docket.notification_count c CROSS JOIN LATERAL (
       SELECT count(*)::integer AS total, count(*) FILTER (WHERE NOT n.seen)::integer AS unseen
       FROM docket.notification n WHERE n.user_id = c.user_id AND n.timestamp >= c.kept_from
     ) k
     WHERE (c.total, c.unseen) <> (k.total, k.unseen)`,
  )
  assert.deepEqual(rows, [])
}
