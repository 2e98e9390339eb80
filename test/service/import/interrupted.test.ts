/** Imports that are interrupted in each phase, and several at once: every row is written once, by the batches that were committed. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { test } from 'node:test'
import { sweepImports } from '../../../src/import/run-list.ts'
import { afterwards } from '../../support/afterwards.ts'
import { connectionOf } from '../../support/database.ts'
import { untilWaitingForLock } from '../../support/lock-waits.ts'
import { until } from '../../support/wait.ts'
import { done, shortly, startImporting } from './an-import-project.ts'

const { url, tokenOf, database, upload, ended, rowsOf, ask } = await startImporting()

const rowsFrom = (prefix: string, numbers: readonly number[]) => [
  'code,amount',
  ...numbers.map((n) => `${prefix}${n},${n}`),
]
const upTo = (count: number) => Array.from({ length: count }, (_, at) => at + 1)

/** Ends the connections whose statement is like this, as a killed process does. */
const cut = async (like: string): Promise<boolean> => {
  const ends = await rowsOf(
    `SELECT pg_terminate_backend(a.pid) FROM pg_stat_activity a
     WHERE a.datname = current_database() AND a.query LIKE $1 AND a.state <> 'idle' AND a.pid <> pg_backend_pid()`,
    [like],
  )
  return ends.length > 0
}

/** Rows with a prefix, and their entries in the history. */
const written = async (prefix: string) =>
  (
    await rowsOf(
      `SELECT count(*)::integer, count(DISTINCT i.code)::integer, count(h.id)::integer
       FROM records.item i
       LEFT JOIN docket.history h ON h.entity_key = 'item' AND h.entity_id = i.id AND h.operation = 'create'
       WHERE i.code LIKE $1`,
      [`${prefix}%`],
    )
  )[0]

/** Writes an item in a transaction that stays open: a batch that writes the same code waits for its end. */
const holdCode = async (code: string) => {
  const holder = await connectionOf(database.pool)
  await holder.query('BEGIN')
  await holder.query('INSERT INTO records.item (code) VALUES ($1)', [code])
  return () => holder.query('ROLLBACK')
}

// The first batch has 1,000 rows, the next one at most twice as many.
test('a batch whose connection ends is written again, and no row twice', async () => {
  const free = await holdCode('W1001')
  const { id } = await upload('item', rowsFrom('W', upTo(1100)), { allOrNothing: 'false' })
  await until('a batch is cut', () => cut('%WITH created AS%'))
  await free()
  const run = await ended(id)
  assert.deepEqual([run.error, run.state, run.created, run.done_rows], [null, 'done', 1100, 1100])
  assert.deepEqual(await written('W'), [1100, 1100, 1100])
})

test('one that is stopped between batches goes on where it was', async () => {
  const free = await holdCode('P1001')
  const { id } = await upload('item', rowsFrom('P', upTo(3100)), { allOrNothing: 'false' })
  await untilWaitingForLock(database.pool)
  const stopping = ask('POST', `/api/imports/${id}/stop`)
  // For the end of the batch.
  await untilWaitingForLock(database.pool, 2)
  await free()
  await stopping
  const { state, created, done_rows } = await ended(id)
  assert.deepEqual([state, created], ['stopped', done_rows])
  assert.ok(created > 1000 && created < 3100, String(created))
  assert.deepEqual(await written('P'), Array(3).fill(created))
  await ask('POST', `/api/imports/${id}/start`)
  assert.equal((await ended(id)).created, 3100)
  assert.deepEqual(await written('P'), [3100, 3100, 3100])
})

test('a dry run that is stopped while it is checked goes on with its checks, and writes nothing', async () => {
  const holder = await connectionOf(database.pool)
  await holder.query('BEGIN')
  await holder.query('LOCK TABLE records.item IN ACCESS EXCLUSIVE MODE')
  const { id } = await upload('item', rowsFrom('D', [1, 2]), { dryRun: 'true' })
  await untilWaitingForLock(database.pool)
  const stopping = ask('POST', `/api/imports/${id}/stop`)
  // For the end of the step.
  await untilWaitingForLock(database.pool, 2)
  await holder.query('ROLLBACK')
  await stopping
  assert.equal((await ended(id)).state, 'stopped')
  await ask('POST', `/api/imports/${id}/start`)
  const { state, created } = await ended(id)
  assert.deepEqual([state, created], ['ready', 2])
  assert.deepEqual(await written('D'), [0, 0, 0])
})

test('a file whose reading is cut leaves nothing, and the run says so', async () => {
  const holder = await connectionOf(database.pool)
  // Its first rows are noted at the run while they are read: that waits for the holder.
  await holder.query(`
    CREATE FUNCTION public.wait_for_holder() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN PERFORM pg_advisory_xact_lock(1); RETURN new; END $$;
    CREATE TRIGGER waits BEFORE UPDATE ON docket.import_run
    FOR EACH ROW EXECUTE FUNCTION public.wait_for_holder()`)
  await holder.query('SELECT pg_advisory_lock(1)')
  const { id } = await upload('item', rowsFrom('R', upTo(3)))
  await until('the reading is cut', () => cut('COPY docket.%'))
  await holder.query('SELECT pg_advisory_unlock(1)')
  await holder.query('DROP FUNCTION public.wait_for_holder() CASCADE')
  const run = await ended(id)
  assert.equal(run.state, 'failed')
  assert.match(String(run.error), /could not be read to its end/)
  assert.deepEqual(await written('R'), [0, 0, 0])
})

test('a file whose run is removed while it is read gives its place to another one', async () => {
  const holder = await connectionOf(database.pool)
  // The first lock is that of the notes of rows, the second that of the end of a reading.
  await holder.query(`
    CREATE FUNCTION public.wait_to_note() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN PERFORM pg_advisory_xact_lock(1); RETURN NULL; END $$;
    CREATE TRIGGER waits BEFORE UPDATE ON docket.import_run
    FOR EACH STATEMENT EXECUTE FUNCTION public.wait_to_note();
    CREATE FUNCTION public.wait_to_end() RETURNS event_trigger LANGUAGE plpgsql AS $$
    BEGIN PERFORM pg_advisory_xact_lock(2); END $$;
    CREATE EVENT TRIGGER ends ON ddl_command_start WHEN TAG IN ('CREATE INDEX')
    EXECUTE FUNCTION public.wait_to_end();
    SELECT pg_advisory_lock(1), pg_advisory_lock(2)`)
  const send = () => upload('item', rowsFrom('V', upTo(3)), { dryRun: 'true' })
  const removed = [await send(), await send()]
  await untilWaitingForLock(database.pool, 2)
  await assert.rejects(send(), /saturated/)
  for (const { id } of removed)
    assert.equal((await ask('DELETE', `/api/imports/${id}`)).status, 204)
  await holder.query('SELECT pg_advisory_unlock(1)')
  const { id } = await until('a place is free', () => send().catch(() => false as const))
  await holder.query('SELECT pg_advisory_unlock(2)')
  assert.equal((await ended(id)).rows, 3)
  await holder.query(`
    DROP EVENT TRIGGER ends;
    DROP FUNCTION public.wait_to_end(), public.wait_to_note() CASCADE`)
})

test('rows that PostgreSQL has lost in a crash end the run', async () => {
  const { id } = await upload('item', rowsFrom('L', upTo(3)), { dryRun: 'true' })
  await ended(id)
  await rowsOf(`TRUNCATE docket."import_${id}"`)
  await ask('POST', `/api/imports/${id}/start`)
  const run = await ended(id)
  assert.deepEqual([run.state, run.created], ['failed', 0])
  assert.match(String(run.error), /send the file again/)
})

test('one whose job was interrupted too often waits for its user', async () => {
  const { id } = await upload('item', rowsFrom('J', upTo(3)), { dryRun: 'true' })
  await ended(id)
  await rowsOf(
    `UPDATE docket.import_run SET state = 'writing', created = 0, updated_at = now() - interval '1 hour' WHERE id = $1`,
    [id],
  )
  await sweepImports(database.pool)
  const run = await ended(id)
  assert.equal(run.state, 'stopped')
  await ask('POST', `/api/imports/${id}/start`)
  assert.equal((await ended(id)).created, 3)
})

test('two imports of the same rows in opposite orders and writers beside them write each row once', async () => {
  const all = upTo(200)
  const [one, other] = await Promise.all([
    upload('item', rowsFrom('T', all), { allOrNothing: 'false' }),
    upload('item', rowsFrom('T', all.toReversed()), { allOrNothing: 'false' }),
  ])
  const singles = await Promise.all(
    all
      .filter((n) => n % 25 === 0)
      .map((n) => ask('POST', '/item', { body: { code: `T${n}`, amount: n } })),
  )
  const alone = singles.filter(({ status }) => status === 201).length
  assert.ok(singles.every(({ status }) => status === 201 || status === 409))
  const runs = [await ended(one.id), await ended(other.id)]
  assert.deepEqual(
    runs.map(({ error, state }) => [error, state]),
    [
      [null, 'done'],
      [null, 'done'],
    ],
  )
  const sum = (name: 'created' | 'faulty') => runs.reduce((all, run) => all + run[name], 0)
  assert.equal(sum('created') + alone, 200)
  assert.equal(sum('created') + sum('faulty'), 400)
  const [counts] = await rowsOf(
    `SELECT count(*)::integer, count(DISTINCT code)::integer FROM records.item WHERE code LIKE 'T%'`,
  )
  assert.deepEqual(counts, [200, 200])
})

test('a file that is too large is refused by its length, or when so much of it has come', async () => {
  const begin = async (length: object, body: string) => {
    const headers = { Authorization: `Bearer ${await tokenOf()}`, ...length }
    const sending = request(`${url}/item/import`, { method: 'POST', headers })
    afterwards(async () => sending.destroy())
    sending.write(body)
    const [response] = (await once(sending, 'response')) as [IncomingMessage]
    return [response.statusCode, JSON.parse(String((await response.toArray()).join(''))).code]
  }
  const file = rowsFrom('H', upTo(3)).join('\n')
  const type = { 'Content-Type': 'text/csv' }
  assert.deepEqual(
    [
      await begin({ ...type, 'Content-Length': 5_000_001 }, file),
      await begin(type, file.padEnd(5_000_001, '\nH,1')),
    ],
    Array(2).fill([413, 'request.too-large']),
  )
})

test('a run whose user loses the right stops, and goes on when they have it again', async () => {
  const { id } = await upload('order', ['number', 'L-1'], { dryRun: 'true' }, 'partly')
  await ended(id, 'partly')
  await rowsOf(`UPDATE records."user" SET is_blocked = true WHERE email = 'partly@example.com'`)
  await ask('POST', `/api/imports/${id}/start`)
  const stopped = await ended(id)
  assert.deepEqual([stopped.state, stopped.error], ['stopped', 'The user is blocked.'])
  await rowsOf(`UPDATE records."user" SET is_blocked = false WHERE email = 'partly@example.com'`)
  await ask('POST', `/api/imports/${id}/start`)
  assert.deepEqual(shortly(await ended(id)), { ...done, created: 1 })
})
