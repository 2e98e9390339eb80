/**
 * The peer of a worker: runs empty jobs by the same job system, in a process of its own. Started by a
 * fork with DATABASE_URL and JOBS_AT_ONCE; says when it is ready, and ends with the channel.
 */
import { handleJob } from '../../src/jobs/job.ts'
import { runJobs } from '../../src/jobs/run-jobs.ts'
import { emptyJob } from './empty-job.ts'

const { DATABASE_URL = '', JOBS_AT_ONCE } = process.env
const runner = await runJobs({
  connectionString: DATABASE_URL,
  handlers: [handleJob(emptyJob, async () => undefined)],
  atOnce: Number(JOBS_AT_ONCE),
  poolSize: 4,
  graceMs: 1000,
  observe: () => undefined,
})
process.on('disconnect', () => {
  void runner.stop().then(() => process.exit())
})
process.send?.('ready')
