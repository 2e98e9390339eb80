/** The waiting deliveries and jobs of a database, to decide whether a copy of it may send. */
import { execute, type Queryable, queryRow } from '../database/pool.ts'
import { sql, text } from '../database/sql.ts'
import { attachDocuments } from './delivery.ts'

export type Waiting = { readonly emails: number; readonly jobs: number }

const isWaiting = sql`status IN ('queued', 'failed', 'sending')`

/** How many deliveries and jobs wait. */
export const countWaiting = async (database: Queryable): Promise<Waiting> => {
  const waiting = await queryRow<Waiting>(
    database,
    sql`
SELECT
  (SELECT count(*)::integer FROM docket.delivery WHERE ${isWaiting}) AS emails,
  (SELECT count(*)::integer FROM docket.job WHERE status <> 'dead') AS jobs`,
  )
  return waiting ?? { emails: 0, jobs: 0 }
}

const reason = 'It was waiting when this copy of the database was accepted.'

/**
 * Drops everything that waits: jobs are removed, deliveries are dead and can be sent again one by one. Jobs
 * that create attachments stay, for such deliveries. To be called in a transaction.
 */
export const dropWaiting = async (database: Queryable): Promise<void> => {
  await execute(database, sql`DELETE FROM docket.job WHERE kind <> ${text(attachDocuments.name)}`)
  await execute(
    database,
    sql`UPDATE docket.delivery SET status = 'dead', last_error = ${text(reason)} WHERE ${isWaiting}`,
  )
  await execute(database, sql`UPDATE docket.task_sweep SET swept_to = now()`)
  await execute(database, sql`UPDATE docket.date_schedule SET begins_at = now(), swept_to = now()`)
}
