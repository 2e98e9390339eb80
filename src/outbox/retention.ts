/** Removes deliveries and their attachments with the notifications that they belong to. */
import { removeOldRows } from '../database/old-rows.ts'
import { execute, type Pool } from '../database/pool.ts'
import { sql } from '../database/sql.ts'

/** Removes mailings older than so many days, and attachments without a reference. */
export const removeOldMailings = async (pool: Pool, days: number): Promise<void> => {
  await removeOldRows(pool, 'mailing', days)
  // An attachment that is being stored is younger than an hour.
  await execute(
    pool,
    sql`
DELETE FROM docket.attachment_data d
WHERE d.created_at < now() - interval '1 hour'
  AND NOT EXISTS (SELECT FROM docket.attachment a WHERE a.hash = d.hash)`,
  )
}
