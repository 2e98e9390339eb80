/** A dead worker is detected by the lock that it no longer holds, and its jobs are released. */
import assert from 'node:assert/strict'
import { afterEach, before, beforeEach, test } from 'node:test'
import pg from 'pg'
import { recoverWorkers, registerWorker, removeWorker } from '../../../src/jobs/worker-store.ts'
import type { TestDatabase } from '../../support/database.ts'
import { emptyJobsDatabase, shareJobsDatabase } from '../../support/jobs/a-jobs-database.ts'
import { addJob, addNotes, note } from '../../support/test-jobs.ts'
import { until } from '../../support/wait.ts'

let database: TestDatabase
before(async () => {
  database = await shareJobsDatabase()
})
beforeEach(async () => {
  await emptyJobsDatabase(database)
  await query('DELETE FROM docket.worker')
})
let sessions: pg.Client[] = []
afterEach(async () => {
  await Promise.all(sessions.map((session) => session.end()))
  sessions = []
})

const query = async (text: string, values: unknown[] = []) =>
  (await database.pool.query(text, values)).rows

/** Registers a worker that holds its lock as long as its session is open. */
const register = async (id: string) => {
  const session = new pg.Client({ connectionString: database.connectionString })
  await session.connect()
  sessions.push(session)
  await registerWorker(session, id)
  return session
}

const endSession = async (session: pg.Client) => {
  await session.end()
  await until('the server has noticed', async () => {
    const [{ held, listed }] = await query(
      `SELECT (SELECT count(*) FROM docket.worker) AS listed, count(*) AS held
       FROM pg_locks l JOIN docket.worker w ON l.objid::bigint = w.lock_number
       WHERE l.locktype = 'advisory' AND l.objsubid = 2
         AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
    )
    return held !== listed
  })
}

/** Adds a job that a worker has taken; returns its id. */
const addTaken = async (worker: string, { attempts = 1, queueName = '' } = {}) => {
  const id = await addJob(database.pool, note, { name: 'a job' }, queueName ? { queueName } : {})
  await query(
    `WITH j AS (UPDATE graphile_worker._private_jobs SET locked_by = $2, locked_at = now(), attempts = $3
       WHERE id = $1 RETURNING job_queue_id)
     UPDATE graphile_worker._private_job_queues q SET locked_by = $2, locked_at = now()
     FROM j WHERE q.id = j.job_queue_id`,
    [id, worker, attempts],
  )
  return id
}

const stateOf = async (id: number) => {
  const [state] = await query(
    `SELECT locked_by, attempts, last_error, run_at > now() AS waits FROM graphile_worker._private_jobs WHERE id = $1`,
    [id],
  )
  return state
}

test('the jobs of a dead worker are released, those of live workers are not', async () => {
  const [dying, living] = [await register('dying'), await register('living')]
  const [lost, held] = [await addTaken('dying'), await addTaken('living')]
  assert.deepEqual(await recoverWorkers(living), { workers: 0, jobs: 0 })
  await endSession(dying)
  assert.deepEqual(await recoverWorkers(living), { workers: 1, jobs: 1 })
  const last_error = 'The process that ran it ended.'
  assert.deepEqual(await stateOf(lost), { locked_by: null, attempts: 1, last_error, waits: false })
  assert.equal((await stateOf(held)).locked_by, 'living')
})

test('a job whose process ended several times waits before its next attempt, and is dead after the last one', async () => {
  const [dying, living] = [await register('dying'), await register('living')]
  const again = await addTaken('dying', { attempts: 3 })
  const last = await addTaken('dying', { attempts: 25 })
  await endSession(dying)
  await recoverWorkers(living)
  assert.equal((await stateOf(again)).waits, true)
  assert.equal((await stateOf(last)).attempts, 25)
  const available = 'SELECT id::integer FROM graphile_worker._private_jobs WHERE is_available'
  assert.deepEqual(await query(available), [{ id: again }])
})

test('a queue that a dead worker held becomes available', async () => {
  const [dying, living] = [await register('dying'), await register('living')]
  await addTaken('dying', { queueName: 'serial' })
  await endSession(dying)
  await recoverWorkers(living)
  const queues = 'SELECT queue_name, is_available FROM graphile_worker._private_job_queues'
  assert.deepEqual(await query(queues), [{ queue_name: 'serial', is_available: true }])
})

test('when several workers look for dead workers at the same time, only one releases a job', async () => {
  const dying = await register('dying')
  const others = await Promise.all(Array.from({ length: 5 }, (_, i) => register(`living ${i}`)))
  await addTaken('dying')
  await endSession(dying)
  const found = await Promise.all(others.map((session) => recoverWorkers(session)))
  const sum = (name: 'workers' | 'jobs') => found.reduce((all, one) => all + one[name], 0)
  assert.deepEqual([sum('workers'), sum('jobs')], [1, 1])
})

test('a job that a dead worker took late is released later, and the worker is removed', async () => {
  const [dying, living] = [await register('dying'), await register('living')]
  await endSession(dying)
  await recoverWorkers(living)
  const id = await addTaken('dying')
  assert.deepEqual(await recoverWorkers(living), { workers: 0, jobs: 0 })
  await query(`UPDATE docket.worker SET lost_at = lost_at - interval '5 minutes'`)
  assert.deepEqual(await recoverWorkers(living), { workers: 0, jobs: 1 })
  assert.equal((await stateOf(id)).locked_by, null)
  assert.deepEqual(await query('SELECT id FROM docket.worker'), [{ id: 'living' }])
})

test('a worker that is removed releases its jobs without counting the attempt', async () => {
  const leaving = await register('leaving')
  const id = await addTaken('leaving', { attempts: 4, queueName: 'serial' })
  await removeWorker(leaving, 'leaving')
  assert.deepEqual(await stateOf(id), {
    locked_by: null,
    attempts: 3,
    last_error: null,
    waits: false,
  })
  const left = await query(
    'SELECT id FROM docket.worker UNION SELECT queue_name FROM graphile_worker._private_job_queues WHERE NOT is_available',
  )
  assert.deepEqual(left, [])
})

test('workers that register at the same time hold different locks', async () => {
  await Promise.all(Array.from({ length: 10 }, (_, i) => register(`worker ${i}`)))
  const locks = 'SELECT count(DISTINCT lock_number) AS locks FROM docket.worker'
  assert.deepEqual(await query(locks), [{ locks: 10 }])
})

test('a lock number that is still in use is skipped when the sequence restarts', async () => {
  for (const id of ['first', 'second']) {
    await query(`SELECT setval('docket.worker_lock_number', 1000, false)`)
    await register(id)
  }
  const numbers = 'SELECT id, lock_number FROM docket.worker ORDER BY lock_number'
  assert.deepEqual(await query(numbers), [
    { id: 'first', lock_number: 1000 },
    { id: 'second', lock_number: 1001 },
  ])
})

test('looking for dead workers reads no waiting jobs', async () => {
  const living = await register('living')
  await addNotes(database.pool, 'waiting ', 100)
  const countScans = async () => {
    await living.query('SELECT pg_stat_force_next_flush()').catch(() => undefined)
    const { rows } = await living.query<{ scans: string }>(
      `SELECT seq_scan + coalesce(idx_scan, 0) AS scans FROM pg_stat_user_tables
       WHERE schemaname = 'graphile_worker' AND relname = '_private_jobs'`,
    )
    return rows[0]?.scans
  }
  const before = await countScans()
  await recoverWorkers(living)
  assert.equal(await countScans(), before)
})
