/** How soon a job starts after the commit that enqueued it, at a steady rate; the job does nothing. */
import { queryRows } from '../../src/database/pool.ts'
import { sql } from '../../src/database/sql.ts'
import { enqueue, jobsIn } from '../../src/jobs/job.ts'
import { until } from '../../test/support/wait.ts'
import { spreadOf } from '../figures.ts'
import type { Table } from '../report.ts'
import { jobsAtOnce } from './backlog.ts'
import { emptyJob, type Measured, waitSeconds } from './measured.ts'
import { latenciesOf, timesOf } from './steadily.ts'

const perSecond = 200
const seconds = 20
const warmUps = 600
const aim = { p50: 10, p99: 50 }

/** The jobs are run by a process of their own, as those of a worker are. */
export const measureJobStarts = async ({ pool, startPeer }: Measured): Promise<Table> => {
  const worker = await startPeer(new URL('./run-empty-jobs.ts', import.meta.url), {
    JOBS_AT_ONCE: `${jobsAtOnce}`,
    PRINT_STARTS: 'true',
  })
  const commitOne = async (number: number): Promise<number> => {
    const at = new Date().toISOString()
    const payload = {
      event: `start ${number}`,
      entity_key: 'memo',
      entity_id: number,
      operation: 'create' as const,
      action: null,
      comment: null,
      actor_id: 1,
      at,
    }
    await queryRows(pool, sql`SELECT ${jobsIn(enqueue({ kind: emptyJob, payload }), 'jobs')}`)
    return performance.timeOrigin + performance.now()
  }
  const measure = async (first: number, count: number): Promise<number[]> => {
    const commits = await timesOf({ perSecond, first, count }, commitOne)
    const areAllHere = () => latenciesOf([worker], commits).length >= count
    await until('every job has started', areAllHere, waitSeconds)
    return latenciesOf([worker], commits)
  }
  await measure(1, warmUps)
  const found = spreadOf(await measure(1 + warmUps, seconds * perSecond))
  await worker.stop()
  return {
    title: `From the commit to the start of a job, ${perSecond}/s for ${seconds} s (ms)`,
    rows: [
      {
        what: 'as the committing process sees it',
        ...found,
        aim: `p50 < ${aim.p50}, p99 < ${aim.p99}`,
        met: found.p50 < aim.p50 && found.p99 < aim.p99,
      },
    ],
  }
}
