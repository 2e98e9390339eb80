/** The notifications that are measured: many people with a few hundred each, and one with very many. */
import type pg from 'pg'
import { withClient } from '../database.ts'

/** Of the one with the most, who is the caller of the load. */
const maxOfOne = 100_000

const indexes = ['notification_user_idx', 'notification_unseen_idx', 'notification_seen_idx']

/** Fills the tables with `rows` notifications of the last 300 days, a fifth of them unseen. */
export const fillNotifications = (
  databaseUrl: string,
  rows: number,
  heaviest: number,
): Promise<void> =>
  withClient(databaseUrl, async (client) => {
    const { rows: kept } = await client.query<{ indexdef: string }>(
      `SELECT indexdef FROM pg_indexes WHERE schemaname = 'docket' AND indexname = ANY ($1)`,
      [indexes],
    )
    // Building an index at the end takes a fraction of keeping it up to date.
    for (const name of indexes) await client.query(`DROP INDEX docket.${name}`)
    await client.query('ALTER TABLE docket.notification DROP CONSTRAINT notification_pkey')
    await client.query(`SET synchronous_commit = off; SET maintenance_work_mem = '1GB'`)
    await insert(client, rows, heaviest)
    await client.query('ALTER TABLE docket.notification ADD PRIMARY KEY (_id)')
    for (const { indexdef } of kept) await client.query(indexdef)
    await client.query(
      `INSERT INTO docket.notification_count SELECT user_id, count(*), count(*) FILTER (WHERE NOT seen), max(timestamp) FROM docket.notification GROUP BY user_id`,
    )
    await client.query('VACUUM (ANALYZE) docket.notification, docket.notification_count')
    await client.query('CHECKPOINT')
  })

// The rows of a person lie far from each other, as they do when everybody is told something daily.
const insert = async (client: pg.Client, rows: number, heaviest: number): Promise<void> => {
  const others = Math.max(1000, Math.round(rows / 200)) - 1
  const every = Math.floor(rows / Math.min(maxOfOne, rows / 2))
  await client.query(
    `INSERT INTO docket.notification (_id, timestamp, user_id, entity_id, seen, entity_key, content)
     SELECT docket.notification_id(at, n::text, '0', user_id), at, user_id, n % 100000 + 1, n % 5 <> 3, 'purchase_order',
       json_build_object('icon', 'check', 'title', 'PO-' || n || ' was approved', 'message', 'Anna Horvat approved the purchase order PO-' || n || ' over 1,234.50 EUR of the supplier Nordwind.', 'url', '/console/purchase_order/' || n % 100000 + 1, 'due_at', NULL)
     FROM generate_series(1, ${rows}) n
     CROSS JOIN LATERAL (SELECT CASE WHEN n % ${every} = 0 THEN ${heaviest} ELSE 1000 + n % ${others} END AS user_id,
       date_trunc('milliseconds', now() - interval '300 days' + n * (interval '300 days' / ${rows})) AS at) w`,
  )
}
