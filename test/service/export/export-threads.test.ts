/** The threads of exports: slots, back-pressure, cancelling, and how a dead thread affects the others. */
import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import type { Worker } from 'node:worker_threads'
import { createExportThreads, type ExportThreads } from '../../../src/export/export-threads.ts'
import type { Observation } from '../../../src/observations.ts'
import { connectionOf, createTestDatabase } from '../../support/database.ts'
import { runningExports, untilBuffersFull } from '../../support/export-backends.ts'
import { until } from '../../support/wait.ts'
import { numbersTask, type Received, receive, receiveAll, taskOf } from './a-running-task.ts'

// More than all buffers up to the reader can hold.
const many = 20_000
const workers: Worker[] = []
const observations: Observation[] = []
const opened: ExportThreads[] = []
const database = await createTestDatabase()

process.on('worker', (worker) => workers.push(worker))
afterEach(async () => {
  await Promise.all(opened.splice(0).map((threads) => threads.stop()))
  await until('no export runs', async () => (await runningExports({ database })).length === 0)
  workers.splice(0)
})
after(async () => {
  await single.stop()
  await database.drop()
})

const create = (atOnce: number, threadCount: number): ExportThreads => {
  const servers = [{ connectionString: database.connectionString, isPooled: false }]
  const observe = (one: Observation) => observations.push(one)
  return createExportThreads({ servers, atOnce, threadCount, observe })
}
const open = (atOnce: number, threadCount: number): ExportThreads => {
  const threads = create(atOnce, threadCount)
  opened.push(threads)
  return threads
}
/** For the tests of one export at a time. */
const single = create(1, 1)
before(async () => {
  await receiveAll(single, numbersTask(1))
  workers.splice(0)
})

/** An export whose reader reads nothing yet. */
const held = (threads: ExportThreads, rows = many): Received => {
  const received = receive(threads, numbersTask(rows))
  assert.ok(received, 'There is no free slot.')
  return received
}

const untilFirstBytes = (...all: Received[]) =>
  until('the first bytes are there', () => all.every((one) => one.chunks() > 0))

const assertWhole = async (
  whole: Promise<Awaited<Received['whole']> | undefined>,
  rows: number,
) => {
  const sent = await whole
  assert.equal(sent?.rows, rows)
  assert.equal(sent?.digest, sent?.digestOfReceived)
}

test('an export is received whole, whatever its size, and consecutive ones share a thread', async () => {
  const threads = open(8, 4)
  for (const rows of [0, 1, 600, 655, many])
    await assertWhole(receiveAll(threads, numbersTask(rows)), rows)
  // A row that is larger than all chunks together.
  await assertWhole(receiveAll(threads, taskOf(`SELECT repeat('x', 5000000)`)), 1)
  assert.equal(workers.length, 1)
})

test('a reader that reads nothing holds four chunks and PostgreSQL waits; both continue with the reader', async () => {
  const received = held(single)
  await until('four chunks are there', () => received.chunks() === 4)
  await untilBuffersFull({ database })
  assert.equal(received.chunks(), 4)
  received.read()
  await assertWhole(received.whole, many)
})

test('rows that arrive slowly are sent before a chunk is full', async () => {
  const blocker = await connectionOf(database.pool)
  await blocker.query('SELECT pg_advisory_lock(7)')
  const row = `SELECT repeat('x', 20000) FROM generate_series(1, 4) i`
  const wait = 'i < 4 OR pg_advisory_lock_shared(7)::text IS NOT NULL'
  const received = receive(single, taskOf(`${row} WHERE ${wait}`))
  received?.read()
  await until('two rows are there', () => (received?.rows() ?? 0) >= 2)
  assert.equal((await runningExports({ database })).length, 1)
  await blocker.query('SELECT pg_advisory_unlock(7)')
  assert.equal((await received?.whole)?.rows, 4)
})

test('the configured number of slots exists on all threads together, and a cancelled one is free immediately', async () => {
  const threads = open(5, 2)
  const all = Array.from({ length: 5 }, () => held(threads))
  await untilFirstBytes(...all)
  assert.equal(receive(threads, numbersTask(1)), undefined)
  all[3]?.cancel()
  held(threads)
  assert.equal(receive(threads, numbersTask(1)), undefined)
  assert.equal(workers.length, 2)
})

test('more exports than slots are received whole, one after the other', async () => {
  const threads = open(6, 2)
  const rows = Array.from({ length: 30 }, (_, index) => 50 * index)
  const runner = async () => {
    for (let next = rows.pop(); next !== undefined; next = rows.pop())
      await assertWhole(receiveAll(threads, numbersTask(next)), next)
  }
  await Promise.all(Array.from({ length: 6 }, runner))
  await until('every connection is idle', () => {
    const { totalCount, idleCount } = threads.connections
    return totalCount > 0 && totalCount <= 6 && totalCount === idleCount
  })
})

test('cancelling ends the query in PostgreSQL and sends nothing more', async () => {
  const received = held(single)
  const settled = received.whole.then(
    () => 'sent',
    () => 'failed',
  )
  await untilBuffersFull({ database })
  received.cancel()
  received.read()
  await until('no export runs', async () => (await runningExports({ database })).length === 0)
  await assertWhole(receiveAll(single, numbersTask(1)), 1)
  assert.equal(await Promise.race([settled, Promise.resolve('silent')]), 'silent')
})

test('a dead thread fails its own exports, ends their queries, and is replaced', async () => {
  const threads = open(4, 2)
  const all = Array.from({ length: 4 }, () => held(threads))
  await untilFirstBytes(...all)
  await workers[0]?.terminate()
  // Slots are assigned in rotation.
  const [first, second, third, fourth] = all
  for (const dead of [first, third])
    await assert.rejects(async () => dead?.whole, /The thread "export" ended/)
  for (const alive of [second, fourth]) {
    alive?.read()
    assert.equal((await alive?.whole)?.rows, many)
  }
  await until('no export runs', async () => (await runningExports({ database })).length === 0)
  await assertWhole(receiveAll(threads, numbersTask(many)), many)
  assert.equal(workers.length, 3)
})

test('an idle connection that PostgreSQL closes is reported, and the next export uses another one', async () => {
  await assertWhole(receiveAll(single, numbersTask(1)), 1)
  await until('the connection is idle', () => single.connections.idleCount === 1)
  const { rowCount } = await database.pool.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
     WHERE datname = current_database() AND query = 'COMMIT' AND pid <> pg_backend_pid()`,
  )
  assert.equal(rowCount, 1)
  await until('the loss is reported', () =>
    observations.some((one) => one.kind === 'databaseConnectionLost'),
  )
  await until('it is not counted', () => single.connections.totalCount === 0)
  await assertWhole(receiveAll(single, numbersTask(1)), 1)
})

test('a caller may have half of the slots that others leave, so that few callers cannot have all', async () => {
  const threads = open(8, 1)
  const shares = ['a', 'b', 'c', 'd'].map((caller) => {
    const share = threads.shareOf(caller)
    for (let count = 0; count < share; count++)
      assert.ok(receive(threads, numbersTask(many), caller), caller)
    assert.equal(threads.countOf(caller), share)
    return share
  })
  assert.deepEqual(shares, [4, 2, 1, 1])
  assert.deepEqual([threads.shareOf('a'), threads.shareOf('e')], [2, 1])
})

test('stopping ends the threads, also during an export', async () => {
  const threads = open(2, 2)
  const all = [held(threads), held(threads)]
  await untilFirstBytes(...all)
  await threads.stop()
  for (const received of all) await assert.rejects(received.whole, /The service stops/)
  assert.deepEqual(
    workers.map(({ threadId }) => threadId),
    [-1, -1],
  )
  assert.equal(receive(threads, numbersTask(1)), undefined)
})
