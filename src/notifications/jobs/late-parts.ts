/**
 * The part of a change whose users belong to a server of the feed that is away: a job of its own notifies them when the server is
 * back. Everybody else was notified meanwhile.
 */
import { homeOf } from '../../database/feeds/rendezvous.ts'
import { execute, type Pool } from '../../database/pool.ts'
import { sql, text } from '../../database/sql.ts'
import { enqueue, jobsIn } from '../../jobs/enqueue.ts'
import { jobKind } from '../../jobs/job.ts'
import type { ChangeMessage } from '../../records/write/change-events.ts'

/** The users of a server, of those that there were at the time. */
export type FeedPart = { readonly feed: string; readonly among: readonly string[] }

export type LateMessage = ChangeMessage & { readonly only: FeedPart }

/** Notifies the users of a server that was away. */
export const notifyLate = jobKind<LateMessage>('notification.late')

/** Whether a user belonged to the server: users may have been moved since. */
export const isInPart = ({ feed, among }: FeedPart, userId: number): boolean =>
  homeOf(among, userId) === feed

/** Enqueues a job for each of these servers. */
export const enqueueLate = async (
  pool: Pool,
  message: ChangeMessage,
  { late, among }: { readonly late: readonly string[]; readonly among: readonly string[] },
): Promise<void> => {
  for (const feed of new Set(late)) {
    const payload = { ...message, only: { feed, among } }
    const job = enqueue({ kind: notifyLate, payload, runAt: sql`now() + interval '2 seconds'` })
    await execute(pool, sql`SELECT ${jobsIn(job, 'jobs')}`)
  }
}

/** A server is back: its jobs need not wait until they are due. */
export const hurryLate = async (pool: Pool, feed: string): Promise<void> => {
  await execute(
    pool,
    sql`
WITH hurried AS (
  UPDATE graphile_worker._private_jobs j
  SET run_at = now()
  FROM graphile_worker._private_tasks t
  WHERE t.id = j.task_id AND t.identifier = ${text(notifyLate.name)} AND j.payload->'only'->>'feed' = ${text(feed)}
    AND j.run_at > now() AND j.locked_at IS NULL AND j.attempts < j.max_attempts
  RETURNING j.id
)
SELECT ${jobsIn(sql`count(*)`, 'jobs')}
FROM hurried`,
  )
}
