/** Removes e-mails and their documents with the notifications that they belong to, a few at a time. */
import { type Pool, queryRows } from '../database/pool.ts'
import { bound, sql, toStatement } from '../database/sql.ts'

const atOnce = 1000

/** Removes mailings older than so many days, and documents that none refers to any more. */
export const removeOldMailings = async (pool: Pool, days: number): Promise<void> => {
  const old = sql`SELECT id FROM docket.mailing WHERE created_at < now() - make_interval(days => ${bound(days, 'integer')}) ORDER BY created_at LIMIT ${bound(atOnce, 'integer')}`
  const remove = sql`DELETE FROM docket.mailing WHERE id IN (${old}) RETURNING id`
  while ((await queryRows(pool, toStatement(remove))).length === atOnce);
  // A document that is just being kept is younger than an hour.
  const orphans = sql`DELETE FROM docket.attachment_data d WHERE d.created_at < now() - interval '1 hour' AND NOT EXISTS (SELECT FROM docket.attachment a WHERE a.hash = d.hash)`
  await pool.query(toStatement(orphans))
}
