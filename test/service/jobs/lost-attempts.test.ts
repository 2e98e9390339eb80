/** A lease that was not renewed ends the attempt, whose row is tried again; renewed leases stay with their process. */
import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { jobQueueOf, takeJobs } from '../../../src/jobs/job-store.ts'
import {
  type Attempt,
  endLostAttempts,
  failRow,
  releaseRows,
  renewLeases,
} from '../../../src/jobs/queue.ts'
import { emptyJobsDatabase, shareJobsDatabase } from '../../support/jobs/a-jobs-database.ts'
import { addJob, addNotes, note } from '../../support/test-jobs.ts'

const queue = jobQueueOf(['test.note'])
const database = await shareJobsDatabase()
beforeEach(() => emptyJobsDatabase(database))

const take = (limit = 1, workerId = 'a worker') =>
  takeJobs(database.pool, queue, { limit, leaseSeconds: 10, workerId })

/** Adds a job that a process has taken, whose lease has ended; returns the attempt. */
const addLost = async (tries = 1): Promise<Attempt> => {
  const id = await addJob(database.pool, note, { name: 'a job' })
  await database.pool.query(
    `UPDATE docket.job SET status = 'running', tries = $2, due_at = now() - interval '1 second' WHERE id = $1`,
    [id, tries],
  )
  return { id, tries }
}
const stateOf = async ({ id }: Attempt) =>
  (
    await database.pool.query(
      'SELECT status, tries, last_error, due_at > now() AS waits FROM docket.job WHERE id = $1',
      [id],
    )
  ).rows[0]

const last_error = 'The process that ran it ended.'

test('an attempt whose lease has ended is ended, one whose lease has not is not', async () => {
  const lost = await addLost()
  await addJob(database.pool, note, { name: 'held' })
  const [held] = await take()
  assert.ok(held)
  assert.equal(await endLostAttempts(database.pool, queue), 1)
  assert.deepEqual(await stateOf(lost), { status: 'failed', tries: 1, last_error, waits: false })
  assert.equal((await stateOf(held)).status, 'running')
})

test('a job whose process ended several times waits before its next attempt, and is dead after the last one', async () => {
  const [again, last] = [await addLost(3), await addLost(25)]
  await endLostAttempts(database.pool, queue)
  assert.deepEqual(await stateOf(again), { status: 'failed', tries: 3, last_error, waits: true })
  assert.partialDeepStrictEqual(await stateOf(last), { status: 'dead', tries: 25 })
})

test('when several processes look for lost attempts at the same time, only one ends them', async () => {
  await addLost()
  const found = await Promise.all(
    Array.from({ length: 5 }, () => endLostAttempts(database.pool, queue)),
  )
  assert.deepEqual(found.toSorted(), [0, 0, 0, 0, 1])
})

test('a lease is renewed only for the attempt that has the job', async () => {
  const lost = await addLost()
  const limits = { leaseSeconds: 10, withinMs: 5_000 }
  const former = { ...lost, tries: 0 }
  assert.deepEqual(await renewLeases(database.pool, queue, [lost, former], limits), [lost])
  assert.equal(await endLostAttempts(database.pool, queue), 0)
})

test('a job that was taken over keeps the state of the later attempt', async () => {
  const lost = await addLost()
  await endLostAttempts(database.pool, queue)
  const [later] = await take()
  assert.equal(later?.tries, 2)
  await failRow(database.pool, queue, lost, { error: 'of the former', pauseMs: undefined })
  await releaseRows(database.pool, queue, [lost])
  assert.partialDeepStrictEqual(await stateOf(lost), { status: 'running', tries: 2 })
})

test('a job that is released is due without counting the attempt', async () => {
  const lost = await addLost(4)
  await releaseRows(database.pool, queue, [lost])
  assert.deepEqual(await stateOf(lost), {
    status: 'queued',
    tries: 3,
    last_error: null,
    waits: false,
  })
})

test('jobs are taken in the order in which they became due, whatever their kind', async () => {
  const { pool } = database
  for (const [kind, at] of [
    ['test.note', '-1 second'],
    ['test.other', '-3 seconds'],
    ['test.note', '-2 seconds'],
  ])
    await pool.query(`SELECT docket.add_job($1, '{}', now() + $2::interval)`, [kind, at])
  const both = jobQueueOf(['test.note', 'test.other'])
  const taken = await takeJobs(pool, both, { limit: 5, leaseSeconds: 10, workerId: 'a worker' })
  assert.deepEqual(
    taken.map(({ kind }) => kind),
    ['test.other', 'test.note', 'test.note'],
  )
})

test('looking for lost attempts reads no waiting jobs', async () => {
  await addNotes(database.pool, 'waiting ', 2_000)
  await database.pool.query('ANALYZE docket.job')
  const { rows } = await database.pool.query<{ 'QUERY PLAN': string }>(
    `EXPLAIN SELECT id FROM docket.job r
     WHERE r.kind = 'test.note' AND r.status = 'running' AND r.due_at <= now()`,
  )
  assert.match(rows.map((row) => row['QUERY PLAN']).join('\n'), /job_running_idx/)
})
