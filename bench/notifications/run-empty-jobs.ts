/**
 * The peer of a worker: runs empty jobs with the same job system, in a separate process. Started with
 * DATABASE_URL and JOBS_AT_ONCE; prints a line when it is ready, and ends on SIGTERM.
 */
import { handleJob } from '../../src/jobs/job.ts'
import { runJobs } from '../../src/jobs/run-jobs.ts'
import { emptyJob } from './measured.ts'

const { DATABASE_URL = '', JOBS_AT_ONCE } = process.env
const runner = await runJobs({
  connectionString: DATABASE_URL,
  handlers: [handleJob(emptyJob, async () => undefined)],
  atOnce: Number(JOBS_AT_ONCE),
  poolSize: 4,
  graceMs: 1000,
  observe: () => undefined,
})
process.on('SIGTERM', () => {
  void runner.stop().then(() => process.exit())
})
process.stdout.write('The peer is ready.\n')
