/** The waiting deliveries and jobs of a database, to decide whether a copy of it may send. */
import { type Feeds, isApart } from '../database/feeds/feeds.ts'
import { execute, type Pool, type Queryable, queryRow } from '../database/pool.ts'
import { sql, text } from '../database/sql.ts'
import { attachDocuments } from './delivery.ts'

export type Waiting = { readonly emails: number; readonly jobs: number }

const isWaiting = sql`status IN ('queued', 'failed', 'sending')`

/** How many deliveries and jobs wait, in the database of the records and on servers of the feed. */
export const countWaiting = async (database: Queryable, feeds: Feeds): Promise<Waiting> => {
  const waiting = await queryRow<Waiting>(
    database,
    sql`
SELECT
  (SELECT count(*)::integer FROM docket.delivery WHERE ${isWaiting}) AS emails,
  (SELECT count(*)::integer FROM graphile_worker._private_jobs WHERE attempts < max_attempts) AS jobs`,
  )
  const { emails = 0, jobs = 0 } = waiting ?? {}
  const apart = feeds.all.filter(isApart).map((feed) => countWaitingIn(feed))
  return { jobs, emails: (await Promise.all(apart)).reduce((sum, count) => sum + count, emails) }
}

const countWaitingIn = async (feed: Pool): Promise<number> => {
  const count = sql`SELECT count(*)::integer AS emails FROM docket.delivery WHERE ${isWaiting}`
  return (await queryRow<{ emails: number }>(feed, count))?.emails ?? 0
}

const reason = 'It was waiting when this copy of the database was accepted.'

/**
 * Drops everything that waits: jobs are removed, deliveries are dead and can be sent again one by one. Jobs
 * that create attachments stay, for such deliveries. To be called in a transaction.
 */
export const dropWaiting = async (database: Queryable): Promise<void> => {
  await execute(
    database,
    sql`
DELETE FROM graphile_worker._private_jobs j
USING graphile_worker._private_tasks t
WHERE t.id = j.task_id AND t.identifier <> ${text(attachDocuments.name)}`,
  )
  await dropDeliveries(database)
  await execute(database, sql`UPDATE docket.task_sweep SET swept_to = now()`)
}

/** The same for the deliveries of a server of the feed. */
export const dropDeliveries = async (database: Queryable): Promise<void> => {
  await execute(
    database,
    sql`UPDATE docket.delivery SET status = 'dead', last_error = ${text(reason)} WHERE ${isWaiting}`,
  )
}
