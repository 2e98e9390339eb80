/**
 * Enqueues in the database of the records what statements of a server of the feed have enqueued there: jobs run where the records
 * are. A process that is killed between the two commits leaves a job that runs twice, which every handler allows.
 */
import type { Listener } from '../../database/listening/listener.ts'
import { execute, type Pool, queryRows } from '../../database/pool.ts'
import { bound, int, sql } from '../../database/sql.ts'
import { transaction } from '../../database/transaction.ts'
import { jobsIn } from '../../jobs/enqueue.ts'
import { workerChannel } from '../../jobs/worker-channel.ts'
import type { Observe } from '../../observations.ts'
import { createCoalescedTask } from '../stream/coalesced-task.ts'

type Options = {
  /** A server of the feed. */
  readonly feed: Pool
  readonly listener: Pick<Listener, 'subscribe'>
  readonly observe: Observe
}

const jobsAtOnce = 100
// A signal may be lost.
const lookEveryMs = 2_000

/** Starts it; any number of processes may do so. Returns how to end it. */
export const relayJobs = ({ feed, listener, observe }: Options): (() => Promise<void>) => {
  const task = createCoalescedTask({
    run: async () => (await relaySome(feed)) === jobsAtOnce,
    onFailure: (error) => observe({ kind: 'maintenanceFailed', task: 'relayJobs', error }),
  })
  const unsubscribe = listener.subscribe({
    channels: { [workerChannel.name]: task.trigger },
    onListening: task.trigger,
  })
  const timer = setInterval(task.trigger, lookEveryMs).unref()
  return async () => {
    clearInterval(timer)
    unsubscribe()
    await task.stop()
  }
}

/** Enqueues all that there is. */
export const relayAll = async (feed: Pool): Promise<void> => {
  while ((await relaySome(feed)) > 0);
}

type Row = { readonly job: string }

const relaySome = (feed: Pool): Promise<number> =>
  transaction(feed, async (connection) => {
    const rows = await queryRows<Row>(
      connection,
      sql`
DELETE FROM docket.feed_job
WHERE id IN (
  SELECT id
  FROM docket.feed_job
  ORDER BY id
  LIMIT ${int(jobsAtOnce)}
  FOR UPDATE SKIP LOCKED
)
RETURNING json_build_object('kind', kind, 'payload', payload, 'run_at', run_at) AS job`,
    )
    if (rows.length > 0) await enqueueAll(feed, rows)
    return rows.length
  })

/** Commits before the rows are gone there. */
const enqueueAll = async (feed: Pool, rows: readonly Row[]): Promise<void> => {
  const jobs = `[${rows.map(({ job }) => job).join(',')}]`
  const from = bound(JSON.stringify({ feed: feed.feed }), 'jsonb')
  const added = sql`docket.add_job(j.kind, (j.payload || ${from})::json, j.run_at)`
  await execute(
    feed.records,
    sql`
SELECT ${jobsIn(sql`sum(${added})`, 'jobs')}
FROM json_to_recordset(${bound(jobs, 'json')}) AS j(kind text, payload jsonb, run_at timestamptz)`,
  )
}
