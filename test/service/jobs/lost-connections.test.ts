/** A runner recovers by itself when it loses its connections or its database, and loses no job. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { migrate } from '../../../src/database/migrate.ts'
import { createPool, type Pool } from '../../../src/database/pool.ts'
import { handleJob, jobKind } from '../../../src/jobs/job.ts'
import { createJobsDatabase } from '../../support/jobs/a-jobs-database.ts'
import { startRunner } from '../../support/jobs/a-runner.ts'
import { startOwnServer } from '../../support/own-server.ts'
import {
  addJob,
  hold,
  note,
  prepareTestJobs,
  testHandlers,
  traces,
} from '../../support/test-jobs.ts'
import { until } from '../../support/wait.ts'

const untilDone = (pool: Pool) =>
  until('all jobs are done', async () => {
    const { rowCount } = await pool.query('SELECT FROM docket.job')
    return rowCount === 0
  })

test('a runner that loses its connections continues and does not run a job twice', async () => {
  const database = await createJobsDatabase()
  const { pool } = database
  const runner = await startRunner(database)
  await addJob(pool, hold, { name: 'long' })
  await until(async () => (await pool.query('SELECT FROM test_run')).rowCount === 1)
  await pool.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
     WHERE application_name LIKE 'docket worker %' AND datname = current_database()`,
  )
  await addJob(pool, note, { name: 'short' })
  await until('another job is run', async () => (await traces(pool)).includes('short noted'))
  await pool.query(`INSERT INTO test_gate VALUES ('long')`)
  await untilDone(pool)
  assert.deepEqual(await traces(pool), ['long begun', 'short noted', 'long ended'])
  assert.equal(await runner.stop(), 0)
  await database.drop()
})

test('after a restart of the database the runner stores the pending result and runs further jobs', async () => {
  const { stop, start, ...database } = await startOwnServer()
  const { pool } = database
  await migrate(pool)
  await prepareTestJobs(pool)
  const ends: (() => void)[] = []
  const kind = jobKind<object>('test.outage')
  const handler = handleJob(kind, () => new Promise((resolve) => ends.push(resolve)))
  const runner = await startRunner(database, { handlers: [handler, ...testHandlers(pool)] })
  await addJob(pool, kind, {})
  await until(() => ends.length === 1)
  await stop()
  ends[0]?.()
  await until(() => runner.of('workerInterrupted').length > 0)
  await start()
  await addJob(pool, note, { name: 'after' })
  await untilDone(pool)
  assert.deepEqual(await traces(pool), ['after noted'])
  assert.equal(ends.length, 1)
  assert.equal(await runner.stop(), 0)
})

test('a runner that cannot store the results of jobs stores them later, and continues with the next jobs', async () => {
  const database = await createJobsDatabase()
  const { pool } = database
  const kind = jobKind<object>('test.end')
  const ends: (() => void)[] = []
  const runs: number[] = []
  let isReleased = false
  const handler = handleJob(kind, async (_, { attempt }) => {
    runs.push(attempt)
    if (!isReleased) await new Promise<void>((resolve) => ends.push(resolve))
  })
  const runner = await startRunner(database, { handlers: [handler] })
  const sleeping = `SELECT FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND datname = current_database()`
  const untilSleeping = (count: number) =>
    until(`${count} sleep`, async () => (await pool.query(sleeping)).rowCount === count)
  await pool.query(
    `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(0.5); RAISE 'The result is rejected.'; END $$;
     CREATE TRIGGER refuse BEFORE DELETE ON docket.job EXECUTE FUNCTION refuse()`,
  )
  for (const number of [1, 2, 3]) {
    await addJob(pool, kind, {})
    await until(() => ends.length === number)
  }
  const [first, second, third] = ends.splice(0)
  first?.()
  await untilSleeping(1)
  second?.()
  await until(() => runner.of('workerInterrupted').length > 0)
  await pool.query('DROP TRIGGER refuse ON docket.job')
  isReleased = true
  third?.()
  for (const end of ends) end()
  await untilDone(pool)
  const errors = runner.of('workerInterrupted').map(({ error }) => String(error))
  assert.match(errors.join(), /The result is rejected/)
  // A result that could not be stored is stored later, and the job is not run again.
  assert.deepEqual(runs, [1, 1, 1])
  assert.equal(await runner.stop(), 0)
  await database.drop()
})

test('a runner starts and stops while the database is unavailable', async () => {
  const connectionString = 'postgresql://docket@127.0.0.1:1/nowhere'
  const pool = createPool({ connectionString, size: 1, observe: () => undefined })
  const runner = await startRunner({ connectionString, pool })
  assert.deepEqual(
    runner.observations.map(({ kind }) => kind).filter((kind) => kind.startsWith('worker')),
    ['workerInterrupted'],
  )
  assert.equal(await runner.stop(), 0)
  await pool.end()
})
