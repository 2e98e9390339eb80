/** Takes the deliveries of a channel, and lets those wait whose attachments are not created yet. */
import { execute, type Pool, type Queryable, queryOnce } from '../database/pool.ts'
import { bigint, int, nothing, sql, text } from '../database/sql.ts'
import { enqueue, jobsIn } from '../jobs/job.ts'
import { type Attempt, type Queue, takenRows } from '../jobs/queue.ts'
import { attachDocuments } from './delivery.ts'
import {
  type DeliveryRow,
  joinedParts,
  selectDelivery,
  type TakenDelivery,
  toDelivery,
} from './sending/taken-delivery.ts'

/** Takes due deliveries, the longest due first. */
export const takeDeliveries = async (
  pool: Pool,
  queue: Queue,
  take: { readonly limit: number; readonly leaseSeconds: number },
): Promise<TakenDelivery[]> => {
  const rows = await queryOnce<DeliveryRow>(
    pool,
    sql`${takenRows(queue, { ...take, set: nothing })}
${selectDelivery}
FROM taken d${joinedParts}`,
  )
  return rows.map(toDelivery)
}

/**
 * Its attachments are not created yet for its recipient; when they are, it is taken again. A waiting
 * mailing has a job already. Its row is locked first, so that the job either releases this delivery too
 * (releaseMailing) or has ended before, and then a new job is enqueued.
 */
export const awaitAttachments = async (
  database: Queryable,
  attempt: Attempt,
  audience: string,
): Promise<void> => {
  const job = enqueue({
    kind: attachDocuments,
    payload: sql`json_build_object('mailing_id', w.id)`,
    // The delay avoids a loop between processes with two versions of a project.
    runAt: sql`now() + interval '1 second'`,
  })
  await execute(
    database,
    sql`
WITH locked AS MATERIALIZED (
  SELECT m.id, m.state
  FROM docket.delivery d
  JOIN docket.mailing m ON m.id = d.mailing_id
  WHERE d.id = ${bigint(attempt.id)}
  FOR NO KEY UPDATE OF m
), put AS (
  UPDATE docket.delivery d
  SET status = 'queued', tries = d.tries - 1, due_at = 'infinity', audience = ${text(audience)}
  FROM locked l
  WHERE d.id = ${bigint(attempt.id)} AND d.tries = ${int(attempt.tries)} AND d.status = 'sending'
    AND d.mailing_id = l.id
  RETURNING d.mailing_id
), waiting AS (
  UPDATE docket.mailing m
  SET state = 'waiting'
  FROM locked l, put p
  WHERE m.id = l.id AND p.mailing_id = l.id AND l.state <> 'waiting'
  RETURNING m.id
)
SELECT ${jobsIn(job, 'jobs')}
FROM waiting w`,
  )
}
