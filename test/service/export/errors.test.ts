/** An export ends complete or visibly aborted: manifest, late errors, clients that disconnect, limits. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { type IncomingMessage, request } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { after, before, test } from 'node:test'
import { exportFormatNames } from '../../../src/export/export-formats.ts'
import { startTestService, type TestService, writeProject } from '../../support/service.ts'
import { until } from '../../support/wait.ts'

const rows = 200_000
let service: TestService
before(async () => {
  const fields = [
    { key: 'a', type: 'string' },
    { key: 'b', type: 'text' },
  ]
  service = await startTestService(
    await writeProject({ 'entities/big.json': { key: 'big', fields } }),
    { EXPORTS_AT_ONCE: '2' },
  )
  await service.database.pool.query(
    `INSERT INTO records.big (a, b) SELECT 'row ' || i, repeat('x, "y" ', 20) FROM generate_series(1, ${rows}) i`,
  )
})
after(() => service.stop())

const open = async (
  query = '',
  headers: Record<string, string> = {},
  body = '{}',
): Promise<IncomingMessage> => {
  const Authorization = `Bearer ${await service.tokenOf()}`
  return new Promise((resolve, reject) => {
    const sent = request(
      `${service.url}/big/export${query}`,
      {
        method: 'POST',
        headers: { Authorization, 'Content-Type': 'application/json', ...headers },
      },
      resolve,
    )
    sent.on('error', reject)
    sent.end(body)
  })
}

const copies = async () => {
  const { rows: found } = await service.database.pool.query(
    `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'COPY%' AND state = 'active'`,
  )
  return found.map(({ pid }) => pid as number)
}

for (const encoding of ['identity', 'gzip', 'zstd'])
  test(`with manifest=true (${encoding}) the trailers contain the row count and the digest of the sent bytes`, async () => {
    const response = await open('?manifest=true&limit=5000', { 'Accept-Encoding': encoding })
    assert.equal(response.headers.trailer, 'X-Row-Count, Digest')
    const body = await buffer(response)
    assert.equal(response.trailers['x-row-count'], '5000')
    assert.equal(
      response.trailers.digest,
      `sha-256=${createHash('sha256').update(body).digest('base64')}`,
    )
  })

test('without manifest there are no trailers', async () => {
  const response = await open('?limit=1')
  await buffer(response)
  assert.deepEqual(response.trailers, {})
})

test('an error after the first byte aborts the connection, is logged and counted, and the service continues', async () => {
  const response = await open()
  assert.equal(response.statusCode, 200)
  response.pause()
  await until('the COPY runs', async () => (await copies()).length === 1)
  const [pid] = await copies()
  await service.database.pool.query('SELECT pg_terminate_backend($1)', [pid])
  await assert.rejects(buffer(response))
  await until('the abort is observed', () =>
    service.observations.some(({ kind }) => kind === 'exportAborted'),
  )
  const metrics = await service.ask('GET', '/api/metrics', { as: null })
  assert.match(
    metrics.text,
    /docket_exports_total\{entity="big",format="csv",outcome="aborted"\} 1/,
  )
  assert.equal((await service.ask('POST', '/big/export?limit=1')).status, 200)
})

for (const format of exportFormatNames)
  test(`a client that disconnects ends the query in PostgreSQL (${format})`, async () => {
    const earlier = service.observations.filter(({ kind }) => kind === 'exportLeft').length
    const response = await open(`?format=${format}`)
    response.once('data', () => response.destroy())
    response.on('error', () => undefined)
    await until(
      'the disconnect is observed',
      () => service.observations.filter(({ kind }) => kind === 'exportLeft').length > earlier,
    )
    await until('no COPY runs', async () => (await copies()).length === 0)
  })

// How many statements of others wait for a lock on the table.
const waiting = async () => {
  const { rows: found } = await service.database.pool.query(
    `SELECT pid FROM pg_locks WHERE relation = 'records.big'::regclass AND NOT granted`,
  )
  return found.length
}

for (const { name, prepare } of [
  { name: 'was never counted', prepare: 'UPDATE pg_class SET relpages = 0' },
  { name: 'has pages enough to be divided', prepare: 'UPDATE pg_class SET relpages = 100000' },
])
  test(`a client that disconnects before the first row ends the query too, when the table ${name}`, async () => {
    const blocker = await service.database.pool.connect()
    try {
      await blocker.query(`${prepare} WHERE oid = 'records.big'::regclass`)
      await blocker.query('BEGIN')
      await blocker.query('LOCK TABLE records.big IN ACCESS EXCLUSIVE MODE')
      const leaving = new AbortController()
      const asked = fetch(`${service.url}/big/export`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${await service.tokenOf()}` },
        signal: leaving.signal,
      })
      await until('the export waits', async () => (await waiting()) === 1)
      leaving.abort()
      await assert.rejects(asked)
      await until('no export waits', async () => (await waiting()) === 0)
    } finally {
      await blocker.query('ROLLBACK')
      blocker.release()
    }
  })

test('beyond EXPORTS_AT_ONCE the response is 503 with Retry-After, and afterwards a slot is free again', async () => {
  const held = await Promise.all([open(), open()])
  const refused = await service.ask('POST', '/big/export')
  assert.equal(refused.status, 503)
  assert.equal(refused.headers.get('retry-after'), '5')
  for (const response of held) response.destroy()
  await until(
    'a slot is free',
    async () => (await service.ask('POST', '/big/export?limit=1')).status === 200,
  )
})

test('rows that are written while an export runs are not in it', async () => {
  const response = await open('?manifest=true', { 'Accept-Encoding': 'identity' })
  response.pause()
  await service.database.pool.query(
    `INSERT INTO records.big (a) SELECT 'late' FROM generate_series(1, 1000)`,
  )
  const body = await buffer(response)
  assert.equal(response.trailers['x-row-count'], String(rows))
  assert.ok(!body.includes('late'))
  await service.database.pool.query(`DELETE FROM records.big WHERE a = 'late'`)
})

test('xlsx rejects a text that is too long for a cell before the first byte, and names the column', async () => {
  const { rows: made } = await service.database.pool.query(
    `INSERT INTO records.big (b) VALUES (repeat('z', 32768)) RETURNING id`,
  )
  const reply = await service.ask('POST', '/big/export?format=xlsx', {
    body: { $where: { id: made[0].id } },
  })
  assert.equal(reply.status, 422)
  assert.match(reply.json().detail, / b\.$/)
})
