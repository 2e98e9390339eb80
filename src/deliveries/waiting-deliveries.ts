/** What waits in a database to be sent, for whoever decides whether a copy of it is to send. */
import { type Queryable, queryRows } from '../database/pool.ts'
import { bound, raw, sql, toStatement } from '../database/sql.ts'
import { attachDocuments } from './delivery.ts'

export type Waiting = { readonly emails: number; readonly jobs: number }

const waitingStatuses = `('queued', 'failed', 'sending')`

/** How many e-mails and jobs wait. */
export const countWaiting = async (database: Queryable): Promise<Waiting> => {
  const select = raw(`SELECT
    (SELECT count(*)::integer FROM docket.delivery WHERE status IN ${waitingStatuses}) AS emails,
    (SELECT count(*)::integer FROM graphile_worker._private_jobs WHERE attempts < max_attempts) AS jobs`)
  const [waiting] = await queryRows<Waiting>(database, toStatement(select))
  return waiting ?? { emails: 0, jobs: 0 }
}

const reason = 'It waited when this copy of the database was accepted.'

/**
 * Lets nothing go that waits: jobs are removed, e-mails are dead and may be tried again one by one. What
 * makes attachments stays, for such an e-mail. To be called in a transaction.
 */
export const dropWaiting = async (database: Queryable): Promise<void> => {
  const kept = bound(attachDocuments.name, 'text')
  for (const statement of [
    sql`DELETE FROM graphile_worker._private_jobs j USING graphile_worker._private_tasks t
        WHERE t.id = j.task_id AND t.identifier <> ${kept}`,
    sql`UPDATE docket.delivery SET status = 'dead', last_error = ${bound(reason, 'text')}
        WHERE status IN ${raw(waitingStatuses)}`,
    sql`UPDATE docket.task_sweep SET swept_to = now()`,
  ])
    await database.query(toStatement(statement))
}
