/** Removes audit events that are older than AUDIT_DAYS, in small batches. */
import { execute, type Pool } from '../database/pool.ts'
import { int, sql } from '../database/sql.ts'

const batchSize = 1000

export const removeOldAudit = async (pool: Pool, days: number): Promise<void> => {
  const remove = sql`
DELETE FROM docket.audit
WHERE id IN (
  SELECT id
  FROM docket.audit
  WHERE at < now() - make_interval(days => ${int(days)})
  ORDER BY at, id
  LIMIT ${int(batchSize)}
)`
  while ((await execute(pool, remove)) === batchSize);
}
