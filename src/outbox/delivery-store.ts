/** Reads and writes deliveries: each belongs to one process at a time, as long as that renews its lease. */
import { execute, type Pool, type Queryable, queryOnce } from '../database/pool.ts'
import { bigint, bound, int, type Sql, sql, text, toStatement } from '../database/sql.ts'
import type { ChannelName } from '../definitions/schemas/notification-rule.ts'
import { enqueue, jobsIn } from '../jobs/enqueue.ts'
import { attachDocuments } from './delivery.ts'
import {
  type DeliveryRow,
  joinedParts,
  selectDelivery,
  type TakenDelivery,
  toDelivery,
} from './sending/taken-delivery.ts'

const leaseEnd = (seconds: number): Sql => sql`now() + make_interval(secs => ${int(seconds)})`

type TakeOptions = {
  readonly limit: number
  /** A process that has not renewed a lease for so long has lost it. */
  readonly leaseSeconds: number
  /** Also those whose lease has expired. */
  readonly mayTakeOver: boolean
}

/** Takes due deliveries of a channel, the longest due first. */
export const takeDeliveries = async (
  pool: Pool,
  channel: ChannelName,
  { limit, leaseSeconds, mayTakeOver }: TakeOptions,
): Promise<TakenDelivery[]> => {
  // As SQL literals, so that the partial index is used.
  const statuses = mayTakeOver ? sql`'queued', 'failed', 'sending'` : sql`'queued', 'failed'`
  // Not prepared: a plan made while there are few would read all of them when there are many.
  const take = sql`
WITH due AS (
  SELECT id
  FROM docket.delivery
  WHERE channel = ${text(channel)} AND status IN (${statuses}) AND due_at <= now()
  ORDER BY due_at, id
  LIMIT ${int(limit)}
  FOR UPDATE SKIP LOCKED
), taken AS (
  UPDATE docket.delivery d
  SET status = 'sending', tries = d.tries + 1, due_at = ${leaseEnd(leaseSeconds)}
  FROM due
  WHERE d.id = due.id
  RETURNING d.*
)`
  const rows = await queryOnce<DeliveryRow>(
    pool,
    sql`${take}
${selectDelivery}
FROM taken d${joinedParts}`,
  )
  return rows.map(toDelivery)
}

/** An attempt to send a delivery; another process may have taken it over meanwhile. */
export type Attempt = Pick<TakenDelivery, 'id' | 'tries'>

/**
 * Renews the leases of running attempts, and returns those that were renewed: an attempt that was taken
 * over stays with its new sender.
 */
export const renewLeases = async (
  database: Queryable,
  attempts: readonly Attempt[],
  { leaseSeconds, withinMs }: { readonly leaseSeconds: number; readonly withinMs: number },
): Promise<Attempt[]> => {
  const ids = bound(
    attempts.map(({ id }) => id),
    'bigint[]',
  )
  const tries = bound(
    attempts.map((one) => one.tries),
    'integer[]',
  )
  const renew = sql`
UPDATE docket.delivery d
SET due_at = ${leaseEnd(leaseSeconds)}
FROM unnest(${ids}, ${tries}) AS held(id, tries)
WHERE d.id = held.id AND d.tries = held.tries AND d.status = 'sending'
RETURNING d.id, d.tries`
  const statement = { ...toStatement(renew), query_timeout: withinMs }
  return (await database.query<Attempt>(statement)).rows
}

// The result of an attempt does not apply to a later one.
const isOwn = ({ id, tries }: Attempt): Sql =>
  sql`d.id = ${bigint(id)} AND d.tries = ${int(tries)} AND d.status = 'sending'`

/** It was taken and not attempted: another process may take it immediately. */
export const release = async (database: Queryable, attempt: Attempt): Promise<void> => {
  await execute(
    database,
    sql`
UPDATE docket.delivery d
SET status = 'queued', tries = tries - 1, due_at = now()
WHERE ${isOwn(attempt)}`,
  )
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
  WHERE ${isOwn(attempt)} AND d.mailing_id = l.id
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

/** It was finally rejected, or has no attempts left. */
export const markDead = async (
  database: Queryable,
  attempt: Attempt,
  error: string,
): Promise<void> => {
  await execute(
    database,
    sql`
UPDATE docket.delivery d
SET status = 'dead', last_error = ${text(error)}
WHERE ${isOwn(attempt)}`,
  )
}

/** It is retried after a pause. */
export const markFailed = async (
  database: Queryable,
  attempt: Attempt,
  { error, pauseMs }: { readonly error: string; readonly pauseMs: number },
): Promise<void> => {
  const pause = sql`${bound(pauseMs, 'double precision')} * interval '1 millisecond'`
  await execute(
    database,
    sql`
UPDATE docket.delivery d
SET status = 'failed', last_error = ${text(error)}, due_at = now() + ${pause}
WHERE ${isOwn(attempt)}`,
  )
}
