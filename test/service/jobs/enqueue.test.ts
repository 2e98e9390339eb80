/** A job is enqueued in the transaction of its change, with the options that the statement gives. */
import assert from 'node:assert/strict'
import { before, beforeEach, test } from 'node:test'
import { raw, type Sql, sql, toStatement } from '../../../src/database/sql.ts'
import { transaction } from '../../../src/database/transaction.ts'
import { enqueue, jobKind, jobsIn } from '../../../src/jobs/job.ts'
import { emptyJobsDatabase, shareJobsDatabase } from '../../support/jobs/a-jobs-database.ts'
import { runSql } from '../../support/test-jobs.ts'

const kind = jobKind<{ id: number; text?: string }>('test.enqueued')

const database = await shareJobsDatabase()
const { pool } = database
before(async () => {
  await pool.query('CREATE TABLE item (id serial PRIMARY KEY, name text)')
})
beforeEach(() => emptyJobsDatabase(database))

const rowsOf = async (text: string) => (await pool.query(text)).rows
const run = (statement: Sql) => runSql(pool, statement)
const jobs = () =>
  rowsOf(
    'SELECT payload, status, tries, max_tries, due_at, due_at <= now() AS is_due FROM docket.job ORDER BY id',
  )
const payloads = async () => (await jobs()).map(({ payload }) => JSON.parse(payload))
/** A job whose payload has the id of a row, such as one that the statement writes. */
const jobOf = (id: string, runAt?: string) =>
  enqueue({
    kind,
    payload: raw(`json_build_object('id', ${id})`),
    ...(runAt && { runAt: raw(runAt) }),
  })

test('a change that is rolled back, and a statement that fails, leave no job', async () => {
  const change = transaction(pool, async (connection) => {
    const job = enqueue({ kind, payload: { id: 1 } })
    await connection.query(toStatement(sql`SELECT ${job} AS job`))
    throw new Error('The change is refused.')
  })
  await assert.rejects(change, /refused/)
  const failing = run(
    sql`WITH c AS (INSERT INTO item (name) VALUES ('x') RETURNING id) SELECT ${jobOf('c.id')} AS job, 1 / (c.id * 0) AS failing FROM c`,
  )
  await assert.rejects(failing, /division by zero/)
  assert.deepEqual(await jobs(), [])
})

test('a statement can use the id that it has just created in the payload, also in its RETURNING clause', async () => {
  const insert = sql`INSERT INTO item (name) VALUES ('kept') RETURNING id`
  const { id, job } = await run(
    sql`WITH c AS (${insert}) SELECT c.id, ${jobOf('c.id')} AS job FROM c`,
  )
  assert.equal(job, 1)
  const returned = await run(sql`${insert}, ${jobOf('id')} AS job`)
  assert.deepEqual(await payloads(), [{ id }, { id: returned.id }])
})

test('a job without options keeps every character, is due immediately, with 25 attempts', async () => {
  const payload = { id: 1, text: `'); DROP TABLE item; -- "\\ \0 \ud800 \u{1f600}\n$1` }
  await run(sql`SELECT ${enqueue({ kind, payload })} AS job`)
  const [{ due_at, ...job }] = await jobs()
  assert.deepEqual(
    { ...job, payload: JSON.parse(job.payload) },
    { payload, status: 'queued', tries: 0, max_tries: 25, is_due: true },
  )
})

test('a job can wait until a time that the statement knows', async () => {
  const job = jobOf('c.id', 'c.due')
  await run(sql`SELECT ${job} AS job FROM (VALUES (7, timestamptz '2031-01-01')) c(id, due)`)
  assert.equal((await jobs())[0]?.due_at, '2031-01-01 00:00:00+00')
})

test('a statement can enqueue a job for every row that it has written', async () => {
  const { jobs: number } = await run(
    sql`WITH c AS (INSERT INTO item (name) SELECT 'many' FROM generate_series(1, 100) RETURNING id)
      SELECT ${jobsIn(sql`count(${jobOf('c.id')})`, 'jobs')} FROM c`,
  )
  assert.equal(Number(number), 100)
  const written = await rowsOf(`SELECT id FROM item WHERE name = 'many' ORDER BY id`)
  assert.deepEqual(await payloads(), written)
})
