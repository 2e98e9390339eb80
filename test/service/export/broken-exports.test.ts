/**
 * Exports that break, are left or are too many: no client takes a part for the whole, PostgreSQL does nothing more, and
 * the slots of EXPORTS_AT_ONCE are free again. The service has two, of which a caller may use one.
 */
import assert from 'node:assert/strict'
import type { IncomingMessage } from 'node:http'
import { after, afterEach, test } from 'node:test'
import type { Worker } from 'node:worker_threads'
import { addUser } from '../../support/a-project.ts'
import { emailOf, fillRandomly, startExportProject } from '../../support/an-export-project.ts'
import { runningExports, terminateExport, untilBuffersFull } from '../../support/export-backends.ts'
import { exportOf, openExport, readToEnd } from '../../support/export-request.ts'
import { until } from '../../support/wait.ts'

/** Also those of other services, which start others when they need them. */
const workers: Worker[] = []
process.on('worker', (worker) => workers.push(worker))

/** Records up to this position are read quickly; a comparison with the text of the others takes long. */
const quickRecords = 3_000

const service = await startExportProject({ EXPORTS_AT_ONCE: '2' })
const { pool } = service.database
// By the index of the ids, so that a first record is found before all others are read.
await pool.query(
  `DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET enable_sort = off', current_database()); END $$`,
)
// More than all buffers can hold, in every encoding.
await fillRandomly(service, 30_000)
await pool.query(
  `UPDATE records.measurement SET filler = repeat(md5(position::text), 600)
   WHERE position BETWEEN $1 + 1 AND $1 + 3000`,
  [quickRecords],
)
await pool.query('ANALYZE records.measurement')
await pool.query(`INSERT INTO records.item (note) VALUES (repeat('x', 40000))`)

/** Another administrator. */
const second = 'second-administrator@example.com'
await addUser(service.database, second)

/** Waits until no export is left, in the database and in the connection pool of the service. */
const untilIdle = () =>
  until('no export is left', async () => {
    if ((await runningExports(service)).length > 0) return false
    const { text } = await service.ask('GET', '/api/metrics', { as: null })
    const [all, idle] = ['all', 'idle'].map((state) =>
      new RegExp(`connections\\{pool="exports",state="${state}"\\} (\\d+)`).exec(text)?.at(1),
    )
    return all !== undefined && all === idle
  })

const open = async (as?: string) => {
  const response = await openExport(service, '/measurement/export', { as })
  assert.equal(response.statusCode, 200)
  return response.on('error', () => undefined)
}

/** Asserts that all slots are free, and no more: two exports run, a third is rejected. */
const assertTwoSlots = async (): Promise<void> => {
  const held = [await open(), await open(second)]
  const { status, headers, text } = await exportOf(service, '/measurement/export')
  assert.equal(status, 503)
  assert.equal(headers['retry-after'], '5')
  assert.equal(headers['content-type'], 'application/problem+json; charset=utf-8')
  assert.equal(JSON.parse(text).code, 'request.saturated')
  // A user who may not export is told so.
  for (const [expected, path, as] of [
    [401, '/item/export', null],
    [403, '/item/export', emailOf('reader')],
    [400, '/item/export?limit=0', undefined],
  ] as const)
    assert.equal((await service.ask('POST', path, { as })).status, expected)
  assert.equal((await service.ask('GET', '/measurement?limit=1')).status, 200)
  for (const one of held) one.destroy()
}

after(async () => {
  await untilIdle()
  await assertTwoSlots()
  await service.stop()
})

// However the export of a test has ended, its caller has a slot again.
afterEach(async () => {
  await untilIdle()
  const body = { $select: ['position'] }
  const { status, text } = await exportOf(service, '/measurement/export?limit=1', { body })
  assert.deepEqual([status, text], [200, 'position\r\n1\r\n'])
  // The response ends before the transaction of its query.
  await untilIdle()
})

test('EXPORTS_AT_ONCE exports run simultaneously, one more is a 503 with Retry-After', () =>
  assertTwoSlots())

test('a slot is free again after an export that completes, has no record or is refused', async () => {
  // The second time shows that the slot is free.
  for (const [status, path, options] of [
    [200, '/measurement/export?limit=3000', {}],
    [200, '/measurement/export', { body: { $where: { position: 0 } } }],
    [400, '/measurement/export?page=2', {}],
    [400, '/measurement/export', { body: { $where: { nowhere: 1 } } }],
    [406, '/measurement/export', { headers: { Accept: 'image/png' } }],
    [422, '/item/export?format=xlsx', {}],
  ] as const)
    for (let turn = 0; turn < 2; turn++) {
      assert.equal((await exportOf(service, path, options)).status, status)
      await untilIdle()
    }
})

const aborts = () => service.observations.filter(({ kind }) => kind === 'exportAborted')

const countOf = async (outcome: string, format: string): Promise<number> => {
  const { text } = await service.ask('GET', '/api/metrics', { as: null })
  const labels = `entity="measurement",format="${format}",outcome="${outcome}"`
  const line = new RegExp(`^docket_exports_total\\{${labels}\\} (\\d+)$`, 'm')
  return Number(line.exec(text)?.[1] ?? 0)
}

/** Reads a little at a time, so that the buffers run empty one after the other. */
const readSlowly = async (response: IncomingMessage): Promise<void> => {
  for await (const _chunk of response) await new Promise((resolve) => setImmediate(resolve))
}

for (const [format, encoding] of [
  ['csv', 'identity'],
  ['json', 'gzip'],
  ['xlsx', 'identity'],
  ['parquet', 'zstd'],
] as const)
  test(`an error after the first byte aborts the connection: ${format}, ${encoding}`, async () => {
    const [aborted, counted] = [aborts().length, await countOf('aborted', format)]
    const response = await openExport(service, `/measurement/export?format=${format}`, {
      headers: { 'Accept-Encoding': encoding },
    })
    assert.equal(response.statusCode, 200)
    await untilBuffersFull(service)
    await terminateExport(service)
    await assert.rejects(readSlowly(response), { code: 'ECONNRESET' })
    assert.equal(response.complete, false)
    await until('the abort is logged', () => aborts().length === aborted + 1)
    const abort = aborts().at(-1)
    assert.ok(abort?.kind === 'exportAborted')
    assert.deepEqual([abort.entity, abort.format], ['measurement', format])
    // The words of PostgreSQL, or of a pooler.
    assert.match(String(abort.error), /terminat|server conn crashed/)
    assert.equal(await countOf('aborted', format), counted + 1)
  })

test('an aborted export has no trailers', async () => {
  const response = await openExport(service, '/measurement/export?manifest=true')
  await untilBuffersFull(service)
  await terminateExport(service)
  await assert.rejects(readToEnd(response))
  assert.deepEqual({ ...response.trailers }, {})
})

/** What answers an export that `end` ends while it waits for its first row. */
const answerBeforeFirstRow = async (end: () => Promise<unknown>) => {
  const blocker = await pool.connect()
  try {
    await blocker.query('BEGIN; LOCK TABLE records.measurement IN ACCESS EXCLUSIVE MODE')
    const asked = exportOf(service, '/measurement/export')
    await until('the export waits', async () => (await runningExports(service)).length === 1)
    await end()
    const { status, headers, text } = await asked
    assert.equal(headers['content-type'], 'application/problem+json; charset=utf-8')
    assert.equal(headers['content-disposition'], undefined)
    return [status, JSON.parse(text).code, headers['retry-after']]
  } finally {
    await blocker.query('ROLLBACK')
    blocker.release()
  }
}

const endThreads = () => Promise.all(workers.map((worker) => worker.terminate()))

test('an error before the first byte is an ordinary error response, also when its thread dies', async () => {
  const terminated = await answerBeforeFirstRow(() => terminateExport(service))
  assert.deepEqual(terminated, [503, 'database.unavailable', '2'])
  await untilIdle()
  assert.deepEqual(await answerBeforeFirstRow(endThreads), [500, 'request.failed', undefined])
})

const observed = (kind: string) => service.observations.filter((one) => one.kind === kind).length

/** Asserts that the query ends, and that the log and the metric report a disconnect and no error. */
const assertQueryEnds = async (disconnect: () => void): Promise<void> => {
  const [disconnects, aborted, failed] = ['exportLeft', 'exportAborted', 'requestFailed'].map(
    observed,
  )
  disconnect()
  await untilIdle()
  await until('the disconnect is logged', () => observed('exportLeft') === (disconnects ?? 0) + 1)
  assert.deepEqual([observed('exportAborted'), observed('requestFailed')], [aborted, failed])
}

// Many slow comparisons with a long text per record: unless it is ended, the query outlasts the test.
const slow = {
  $or: Array.from({ length: 50 }, (_, index) => ({ filler: { $ilike: `%zzz${index}%` } })),
}

/** Requests an export whose client leaves when the controller says so. */
const ask = async (controller: AbortController, path = '/measurement/export', body: object = {}) =>
  fetch(`${service.url}${path}`, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${await service.tokenOf()}`,
      'Content-Type': 'application/json',
    },
    body: JSON.stringify(body),
    signal: controller.signal,
  })

const disconnectBeforeResponse = async (path: string, body: object): Promise<void> => {
  const controller = new AbortController()
  const failed = assert.rejects(ask(controller, path, body), { name: 'AbortError' })
  await until('the export runs', async () => (await runningExports(service)).length === 1)
  await assertQueryEnds(() => controller.abort())
  await failed
}

test('a client that leaves ends the query while PostgreSQL looks for the first record', () =>
  disconnectBeforeResponse('/measurement/export', { $where: slow, $orderBy: ['-filler'] }))

test('a client that leaves ends the query while PostgreSQL looks for cells that xlsx cannot contain', () =>
  disconnectBeforeResponse('/measurement/export?format=xlsx', { $where: slow }))

for (const format of ['csv', 'xlsx'])
  test(`a client that leaves ends the query during a long pause between two records (${format})`, async () => {
    const response = await openExport(service, `/measurement/export?format=${format}`, {
      body: {
        $select: ['position'],
        $where: { $or: [{ position: { $lte: quickRecords } }, slow] },
      },
    })
    response.on('error', () => undefined).resume()
    assert.equal((await runningExports(service)).length, 1)
    await assertQueryEnds(() => response.destroy())
  })

test('a client that leaves ends the query while PostgreSQL waits for it', async () => {
  const response = await openExport(service, '/measurement/export')
  response.on('error', () => undefined)
  await untilBuffersFull(service)
  await assertQueryEnds(() => response.destroy())
})

test('after disconnects at any moment no connection is missing from the pool', async () => {
  const disconnects = observed('exportLeft')
  const isNoneLeft = () => observed('exportLeft') === disconnects
  for (let turn = 0; turn < 20 || (turn < 1000 && isNoneLeft()); turn++) {
    const controller = new AbortController()
    // It does not matter whether one disconnects in time: some of them do.
    const ended = ask(controller)
      .then((response) => response.text())
      .catch(() => undefined)
    setTimeout(() => controller.abort(), turn / 3)
    await ended
  }
  assert.ok(!isNoneLeft())
  await untilIdle()
})

// How many statements of others wait for a lock on the table.
const waiting = async () => {
  const { rows } = await pool.query(
    `SELECT pid FROM pg_locks WHERE relation = 'records.measurement'::regclass AND NOT granted`,
  )
  return rows.length
}

for (const { name, pages } of [
  { name: 'was never counted', pages: 0 },
  { name: 'has pages enough to be divided', pages: 100_000 },
])
  test(`a client that leaves before the first row ends the query too, when the table ${name}`, async () => {
    const setPages = (count: number) =>
      pool.query(`UPDATE pg_class SET relpages = $1 WHERE oid = 'records.measurement'::regclass`, [
        count,
      ])
    const { rows } = await pool.query(
      `SELECT relpages FROM pg_class WHERE oid = 'records.measurement'::regclass`,
    )
    await setPages(pages)
    const blocker = await pool.connect()
    try {
      await blocker.query('BEGIN; LOCK TABLE records.measurement IN ACCESS EXCLUSIVE MODE')
      const leaving = new AbortController()
      const asked = ask(leaving)
      await until('the export waits', async () => (await waiting()) === 1)
      leaving.abort()
      await assert.rejects(asked)
      await until('no export waits', async () => (await waiting()) === 0)
    } finally {
      await blocker.query('ROLLBACK')
      blocker.release()
      await setPages(rows[0].relpages)
    }
  })

test('when its thread dies after the first byte, the connection is aborted, this is logged, and the next export works', async () => {
  const aborted = aborts().length
  const response = await openExport(service, '/measurement/export')
  assert.equal(response.statusCode, 200)
  await untilBuffersFull(service)
  await endThreads()
  await assert.rejects(readToEnd(response), { code: 'ECONNRESET' })
  await until('the abort is logged', () => aborts().length > aborted)
  const abort = aborts().at(-1)
  assert.ok(abort?.kind === 'exportAborted')
  assert.match(String(abort.error), /The thread "export" ended/)
})
