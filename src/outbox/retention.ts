/** Removes deliveries and their attachments with the notifications that they belong to, in small batches. */
import { execute, type Pool, queryRows } from '../database/pool.ts'
import { int, sql } from '../database/sql.ts'

const batchSize = 1000

/** Removes mailings older than so many days, and attachments without a reference. */
export const removeOldMailings = async (pool: Pool, days: number): Promise<void> => {
  const remove = sql`
DELETE FROM docket.mailing
WHERE id IN (
  SELECT id
  FROM docket.mailing
  WHERE created_at < now() - make_interval(days => ${int(days)})
  ORDER BY created_at
  LIMIT ${int(batchSize)}
)
RETURNING id`
  while ((await queryRows(pool, remove)).length === batchSize);
  // An attachment that is being stored is younger than an hour.
  await execute(
    pool,
    sql`
DELETE FROM docket.attachment_data d
WHERE d.created_at < now() - interval '1 hour'
  AND NOT EXISTS (SELECT FROM docket.attachment a WHERE a.hash = d.hash)`,
  )
}
