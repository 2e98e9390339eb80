/**
 * The peer of a worker: runs empty jobs with the same job system, in a separate process. Started with
 * DATABASE_URL and JOBS_AT_ONCE; prints a line when it is ready, and ends on SIGTERM. With PRINT_STARTS it prints
 * `<id of the record> <milliseconds since 1970>` when a job starts.
 */
import { createListener } from '../../src/database/listener.ts'
import { handleJob } from '../../src/jobs/job.ts'
import { runJobs } from '../../src/jobs/run-jobs.ts'
import { emptyJob } from './measured.ts'

const { DATABASE_URL = '', JOBS_AT_ONCE, PRINT_STARTS } = process.env
const printStart = (id: number): void => {
  if (PRINT_STARTS) process.stdout.write(`${id} ${performance.timeOrigin + performance.now()}\n`)
}
const listener = createListener({
  connectionString: DATABASE_URL,
  applicationName: 'docket listener',
})
await listener.start()
const runner = await runJobs({
  connectionString: DATABASE_URL,
  listener,
  handlers: [handleJob(emptyJob, async ({ entity_id: id }) => printStart(id))],
  atOnce: Number(JOBS_AT_ONCE),
  poolSize: 4,
  graceMs: 1000,
  observe: () => undefined,
})
process.on('SIGTERM', () => {
  void runner
    .stop()
    .then(listener.close)
    .then(() => process.exit())
})
process.stdout.write('The peer is ready.\n')
