/** Operators list and count jobs by status, retry them and remove them. */
import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import {
  countJobs,
  type JobStatus,
  jobStatuses,
  listJobs,
  retryJob,
} from '../../../src/jobs/job-store.ts'
import { emptyJobsDatabase, shareJobsDatabase } from '../../support/jobs/a-jobs-database.ts'
import { startRunner } from '../../support/jobs/a-runner.ts'
import { addJob, note } from '../../support/test-jobs.ts'
import { until } from '../../support/wait.ts'

const database = await shareJobsDatabase()
beforeEach(() => emptyJobsDatabase(database))

/** Changes to the row of a new job, by the status that results. */
const states: Record<JobStatus, string> = {
  waiting: 'tries = 0',
  scheduled: `due_at = now() + interval '1 day'`,
  running: `status = 'running', started_at = '2026-05-04 08:30:00.1234', worker = 'someone', tries = 1`,
  failing: `status = 'failed', tries = 2, last_error = 'it failed', due_at = now() + interval '1 minute'`,
  dead: `status = 'dead', tries = max_tries, last_error = 'it died'`,
}

const add = async (name: string, state: string) => {
  const id = await addJob(database.pool, note, { name }, { maxTries: 5 })
  await database.pool.query(`UPDATE docket.job SET ${state} WHERE id = $1`, [id])
  return id
}
const addAll = async () => {
  const ids: Partial<Record<JobStatus, number>> = {}
  for (const [status, state] of Object.entries(states))
    ids[status as JobStatus] = await add(status, state)
  return ids as Record<JobStatus, number>
}
const page = { limit: 20, offset: 0 }
const listed = async (status?: JobStatus) =>
  (await listJobs(database.pool, { status, page })).map((text) => JSON.parse(text))

test('jobs are counted and listed by status, also where there are none', async () => {
  const countsOf = (count: number) =>
    Object.fromEntries(jobStatuses.map((status) => [status, count]))
  assert.deepEqual([await countJobs(database.pool), await listed()], [countsOf(0), []])
  const ids = await addAll()
  assert.deepEqual(await countJobs(database.pool), countsOf(1))
  for (const status of jobStatuses) {
    const [job, ...others] = await listed(status)
    assert.deepEqual([job.id, job.status, others], [ids[status], status, []])
  }
  assert.equal((await listed()).length, jobStatuses.length)
})

test('a listed job has its payload, attempts, times and error', async () => {
  await addAll()
  const [running] = await listed('running')
  const { created_at, run_at, id, ...shown } = running
  assert.deepEqual(shown, {
    task: 'test.note',
    status: 'running',
    payload: { name: 'running' },
    attempts: 1,
    max_attempts: 5,
    last_error: null,
    key: null,
    queue: null,
    worker: 'someone',
    started_at: '2026-05-04T08:30:00.123Z',
  })
  for (const at of [created_at, run_at]) assert.match(at, /^\d{4}-\d\d-\d\dT[\d:]{8}\.\d{3}Z$/)
  assert.equal(typeof id, 'number')
  const [failing] = await listed('failing')
  assert.equal(failing.last_error, 'it failed')
  const [dead] = await listed('dead')
  assert.equal(dead.last_error, 'it died')
})

test('a job that is retried waits without attempts, and the next free worker takes it', async () => {
  for (const status of ['dead', 'failing', 'scheduled', 'waiting'] as const) {
    const id = await add('retried', states[status])
    const job = JSON.parse(await retryJob(database.pool, id))
    assert.deepEqual([job.id, job.status, job.attempts], [id, 'waiting', 0], status)
  }
  const runner = await startRunner(database)
  await until(async () => (await listed()).length === 0)
  await runner.stop()
})
