/** How the process stops: exports end or are cut, balancers are told, and a second signal does not wait. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { before, test } from 'node:test'
import { callDocket } from '../../support/call-docket.ts'
import { createTestDatabase } from '../../support/database.ts'
import { waitFor } from '../../support/docket.ts'
import { endByLaterSignal, startUp } from '../../support/processes/a-service.ts'
import { writeProject } from '../../support/service.ts'

// Far more bytes than the buffers between the two processes hold.
const rows = 25_000
let environment: Record<string, string>
let token = ''
before(async () => {
  const { connectionString, pool } = await createTestDatabase()
  const fields = [{ key: 'a', type: 'text' }]
  const PROJECT = await writeProject({ 'entities/big.json': { key: 'big', fields } })
  environment = { DATABASE_URL: connectionString, PROJECT }
  assert.equal((await callDocket(['migrate'], environment)).code, 0)
  token = (await callDocket(['token'], environment)).out.trim()
  await pool.query(
    `INSERT INTO records.big (a) SELECT repeat('y', 1000) || i FROM generate_series(1, ${rows}) i`,
  )
})

/** An export whose reader takes nothing yet. */
const openExport = async (base: string): Promise<IncomingMessage> => {
  const sent = request(`${base}/big/export?manifest=true`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}` },
  })
  sent.end()
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  response.pause()
  return response
}

test('SIGTERM during an export: the export completes, new requests are rejected, the exit code is 0', async () => {
  const { base, child, ended } = await startUp(environment)
  const response = await openExport(base)
  child.kill('SIGTERM')
  await waitFor(child, /serviceStopping/)
  await assert.rejects(fetch(`${base}/api/health/live`))
  const body = await buffer(response)
  assert.equal(response.trailers['x-row-count'], String(rows))
  assert.equal(body.toString().trimEnd().split('\r\n').length, rows + 1)
  assert.equal((await ended).code, 0)
})

test('with DRAIN_SECONDS it answers for a while and says that it is not ready; after the grace time an export is cut', async () => {
  const { base, child, ended } = await startUp({
    ...environment,
    DRAIN_SECONDS: '5',
    SHUTDOWN_GRACE_SECONDS: '1',
  })
  const live = () => fetch(`${base}/api/health/live`)
  assert.equal((await live()).headers.get('connection'), 'keep-alive')
  const response = await openExport(base)
  child.kill('SIGTERM')
  // The same signal, as npm and a terminal send it both.
  child.kill('SIGINT')
  await waitFor(child, /serviceStopping/)
  const ready = await fetch(`${base}/api/health/ready`)
  assert.deepEqual([ready.status, await ready.json()], [503, { status: 'stopping' }])
  const alive = await live()
  assert.deepEqual([alive.status, alive.headers.get('connection')], [200, 'close'])
  assert.equal((await ended).code, 0)
  await assert.rejects(live())
  await assert.rejects(buffer(response))
})

test('a later signal ends a service that waits for a request', async () => {
  await endByLaterSignal(await startUp(environment))
})
