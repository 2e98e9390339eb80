/** How the process stops and what it survives: SIGTERM during an export, an unavailable database. */
import assert from 'node:assert/strict'
import { rm } from 'node:fs/promises'
import { type IncomingMessage, request } from 'node:http'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { test } from 'node:test'
import { createTestDatabase } from '../../support/database.ts'
import { outcomeOf, runDocket, spawnDocket, tokenOf, waitFor } from '../../support/docket.ts'
import { startOwnServer } from '../../support/own-server.ts'
import { startTestService, writeProject } from '../../support/service.ts'
import { until } from '../../support/wait.ts'

const fields = [{ key: 'a', type: 'string' }]
const project = { 'entities/big.json': { key: 'big', fields } }

const startBig = async (environment: Record<string, string>) => {
  const database = await createTestDatabase()
  const directory = await writeProject(project)
  const child = spawnDocket(['start', '--project', directory, '--port', '0'], {
    DATABASE_URL: database.connectionString,
    ...environment,
  })
  const ended = outcomeOf(child)
  const shown = await waitFor(child, /is up at \S+/)
  const [, base = ''] = /is up at (\S+)/.exec(shown) ?? []
  const token = await tokenOf(directory, { DATABASE_URL: database.connectionString })
  await database.pool.query(
    `INSERT INTO records.big (a) SELECT repeat('y', 200) || i FROM generate_series(1, 300000) i`,
  )
  const open = (): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      const sent = request(
        `${base}/big/export?manifest=true`,
        { method: 'POST', headers: { Authorization: `Bearer ${token}` } },
        resolve,
      )
      sent.on('error', reject)
      sent.end()
    })
  const clean = async () => {
    await database.drop()
    await rm(directory, { recursive: true, force: true, maxRetries: 10 })
  }
  return { base, child, ended, open, clean }
}

test('SIGTERM during an export: the export completes, new requests are rejected, the exit code is 0', async () => {
  const { base, child, ended, open, clean } = await startBig({})
  const response = await open()
  response.pause()
  child.kill('SIGTERM')
  await waitFor(child, /serviceStopping/)
  await assert.rejects(fetch(`${base}/api/health/live`))
  const body = await buffer(response)
  assert.equal(response.trailers['x-row-count'], '300000')
  assert.equal(body.toString().trimEnd().split('\r\n').length, 300_001)
  assert.equal((await ended).code, 0)
  await clean()
})

test('with DRAIN_SECONDS a process answers for a while after SIGTERM, and says that it is not ready', async () => {
  const { base, child, ended, clean } = await startBig({ DRAIN_SECONDS: '5' })
  const live = () => fetch(`${base}/api/health/live`)
  assert.equal((await live()).headers.get('connection'), 'keep-alive')
  child.kill('SIGTERM')
  await waitFor(child, /serviceStopping/)
  const ready = await fetch(`${base}/api/health/ready`)
  assert.deepEqual([ready.status, await ready.json()], [503, { status: 'stopping' }])
  const alive = await live()
  assert.deepEqual([alive.status, alive.headers.get('connection')], [200, 'close'])
  assert.equal((await ended).code, 0)
  await assert.rejects(live())
  await clean()
})

test('after the grace time a running export is aborted, and the exit code is still 0', async () => {
  const { child, ended, open, clean } = await startBig({ SHUTDOWN_GRACE_SECONDS: '1' })
  const response = await open()
  response.pause()
  child.kill('SIGTERM')
  assert.equal((await ended).code, 0)
  await assert.rejects(buffer(response))
  await clean()
})

test('while the database is unavailable requests get a 503, and succeed again later without a restart', async () => {
  const server = await startOwnServer()
  const previous = process.env.TEST_DATABASE_URL
  process.env.TEST_DATABASE_URL = server.connectionString
  const service = await startTestService(await writeProject(project)).finally(() => {
    process.env.TEST_DATABASE_URL = previous ?? ''
  })
  assert.equal((await service.ask('POST', '/big', { body: { a: 'x' } })).status, 201)
  const token = await service.tokenOf()
  const ask = (path: string) =>
    fetch(`${service.url}${path}`, { headers: { Authorization: `Bearer ${token}` } })
  await server.stop()
  for (const path of ['/big', '/big/1', '/api/me', '/api/health/ready']) {
    const response = await ask(path)
    assert.equal(response.status, 503, path)
    assert.ok(response.headers.get('retry-after'), path)
  }
  assert.equal((await ask('/api/health/live')).status, 200)
  await server.start()
  await until('records are answered again', async () => (await ask('/big/1')).status === 200)
  await service.stop().catch(() => undefined)
})

test('six processes that start simultaneously on an empty database all come up', async () => {
  const database = await createTestDatabase()
  const directory = await writeProject(project)
  const environment = { DATABASE_URL: database.connectionString, PROJECT: directory }
  const started = Array.from({ length: 6 }, () => {
    const child = spawnDocket(['start', '--port', '0'], environment)
    return { child, ended: outcomeOf(child) }
  })
  await Promise.all(started.map(({ child }) => waitFor(child, /is up at/)))
  for (const { child } of started) child.kill('SIGTERM')
  assert.deepEqual(
    await Promise.all(started.map(async ({ ended }) => (await ended).code)),
    Array.from({ length: 6 }, () => 0),
  )
  await database.drop()
  await rm(directory, { recursive: true, force: true, maxRetries: 10 })
})

test('docket export writes a whole file, streams into a pipe without progress, and keeps no incomplete file', async () => {
  const database = await createTestDatabase()
  const directory = await writeProject(project)
  const environment = { DATABASE_URL: database.connectionString, PROJECT: directory }
  assert.equal((await runDocket(['migrate'], environment)).code, 0)
  await database.pool.query(`INSERT INTO records.big (a) VALUES ('one'), ('two')`)
  const piped = await runDocket(['export', 'big', '--where', '{"a":"two"}'], environment)
  assert.equal(piped.code, 0, piped.err)
  assert.match(piped.out, /^id,a,[^\r]*\r\n2,two,[^\r]*\r\n$/)
  assert.doesNotMatch(piped.err, /MB|\r/)
  const out = join(directory, 'out.csv')
  const written = await runDocket(['export', 'big', '--out', out], environment)
  assert.match(written.err, /out\.csv: 2 rows, \d+ bytes, sha-256 checked/)
  const wrong = await runDocket(['export', 'bgi', '--out', join(directory, 'no.csv')], environment)
  assert.equal(wrong.code, 1)
  assert.match(wrong.err, /did you mean "big"/)
  await database.drop()
  await rm(directory, { recursive: true, force: true, maxRetries: 10 })
})
