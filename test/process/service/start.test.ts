/**
 * How the service starts and stops as a process, and what keeps it from a start. `process/stories/new-project` has the
 * first start, and a second signal.
 */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { type IncomingMessage, request } from 'node:http'
import { networkInterfaces } from 'node:os'
import { buffer } from 'node:stream/consumers'
import { before, test } from 'node:test'
import { afterwards, opened } from '../../support/afterwards.ts'
import { callDocket } from '../../support/call-docket.ts'
import { createTestDatabase } from '../../support/database.ts'
import { startAddress } from '../../support/database-address.ts'
import {
  endedAfterwards,
  main,
  outcomeOf,
  ownName,
  passedEnvironment,
  runDocket,
  waitFor,
} from '../../support/docket.ts'
import { addressIn, signIn, startUp } from '../../support/processes/a-service.ts'
import { writeProject } from '../../support/service.ts'
import { until } from '../../support/wait.ts'

// Far more bytes than the buffers between the two processes hold.
const rows = 25_000
let environment: Record<string, string>
let token = ''
const database = opened(() => createTestDatabase())
before(async () => {
  const fields = [{ key: 'title', type: 'text' }]
  const PROJECT = await writeProject({ 'entities/note.json': { key: 'note', fields } })
  environment = { DATABASE_URL: database.connectionString, PROJECT }
  assert.equal((await callDocket(['migrate'], environment)).code, 0)
  token = (await callDocket(['token'], environment)).out.trim()
  await database.pool.query(
    `INSERT INTO records.note (title) SELECT repeat('y', 1000) || i FROM generate_series(1, ${rows}) i`,
  )
})

const bearer = (credential: string) => ({ Authorization: `Bearer ${credential}` })

/** An export whose reader takes nothing yet. */
const openExport = async (base: string, credential: string): Promise<IncomingMessage> => {
  const sent = request(`${base}/note/export?manifest=true`, {
    method: 'POST',
    headers: bearer(credential),
  })
  sent.end()
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  response.pause()
  return response
}

test('on a terminal, start prints the token itself, and a link that signs in; Ctrl-C stops it', async () => {
  const command = `exec '${process.execPath}' '${main}' start --port 0`
  // util-linux: a separate terminal, whose input never ends.
  const child = endedAfterwards(
    spawn('script', ['-qefc', command, '/dev/null'], {
      env: { ...passedEnvironment(), ...environment },
      stdio: ['pipe', 'pipe', 'pipe'],
    }),
  )
  const ended = outcomeOf(child)
  let printed = ''
  child.stdout?.on('data', (chunk) => {
    printed += chunk
  })
  const shown = await waitFor(child, /export TOKEN=\S+\s/)
  const base = addressIn(shown)
  const [, own = ''] = /export TOKEN=(eyJ\S+)/.exec(shown) ?? []
  assert.equal((await fetch(`${base}/api/me`, { headers: bearer(own) })).status, 200)
  const [, address = '', code = ''] = /Console +(\S+)#code=(\S+)/.exec(shown) ?? []
  assert.equal(address, `${base}/console/-/login`)
  assert.equal((await signIn(base, code)).user_id, 1)
  child.stdin?.write('\u0003')
  assert.equal((await ended).code, 0)
  assert.doesNotMatch(printed, /Warning/)
})

/** A non-loopback address of this machine, if it has one. */
const otherAddress = (): string =>
  Object.values(networkInterfaces())
    .flatMap((list) => list ?? [])
    .find(({ family, internal }) => family === 'IPv4' && !internal)?.address ?? '127.0.0.1'

test('start --host 0.0.0.0 accepts keys alone; with DRAIN_SECONDS it answers for a while after a signal, and then cuts an export', async () => {
  const upAt = new RegExp(`${ownName} api-key create`)
  const settings = { ...environment, DRAIN_SECONDS: '5', SHUTDOWN_GRACE_SECONDS: '1' }
  const service = await startUp(settings, ['--host', '0.0.0.0'], upAt)
  assert.match(
    service.shown,
    /Only API keys are accepted\. Other machines can reach the service without TLS: set PUBLIC_URL/,
  )
  const { port } = new URL(service.base)
  const { out } = await callDocket(
    ['api-key', 'create', '--user', 'admin@example.com', '--name', 'test'],
    environment,
  )
  const key = /docket_\S+/.exec(out)?.[0] ?? ''
  // The name in the request does not matter: nothing here depends on being this machine.
  const base = `http://${otherAddress()}:${port}`
  for (const [path, credential, status] of [
    ['/note/1', key, 200],
    ['/note/1', token, 401],
    ['/note/1', undefined, 401],
    ['/api/metrics', undefined, 401],
    ['/api/metrics', key, 200],
    ['/api/openapi.json', undefined, 401],
    ['/api/docs', undefined, 200],
  ] as const) {
    const headers = credential === undefined ? {} : bearer(credential)
    assert.equal((await fetch(`${base}${path}`, { headers })).status, status, path)
  }
  const second = await runDocket(['start', '--host', '0.0.0.0', '--port', port], environment)
  assert.deepEqual([second.code, second.out], [1, ''])
  assert.match(second.err, new RegExp(`Port ${port} is in use on 0\\.0\\.0\\.0`))

  const live = () => fetch(`${base}/api/health/live`)
  assert.equal((await live()).headers.get('connection'), 'keep-alive')
  const response = await openExport(base, key)
  service.child.kill('SIGHUP')
  // The same signal, as npm and a terminal send it both.
  service.child.kill('SIGINT')
  await waitFor(service.child, /serviceStopping/)
  const ready = await fetch(`${base}/api/health/ready`)
  assert.deepEqual([ready.status, await ready.json()], [503, { status: 'stopping' }])
  const alive = await live()
  assert.deepEqual([alive.status, alive.headers.get('connection')], [200, 'close'])
  assert.equal((await service.ended).code, 0)
  await assert.rejects(live())
  await assert.rejects(buffer(response))
})

const role = 'test_runs'

/** The statements of docs/operations.md, for a role of the test. */
const documentedRights = async (): Promise<string[]> => {
  const text = await readFile(new URL('../../../docs/operations.md', import.meta.url), 'utf8')
  const [, block = ''] = /## Rights in the database.*?```sql\n(.*?)```/s.exec(text) ?? []
  const statements = block
    .replaceAll('docket_run', role)
    .split(';')
    .map((one) => one.trim())
  return statements.filter((one) => /^(GRANT|ALTER DEFAULT)/.test(one))
}

/** The state in which the import of a record with an id ends. */
const imported = async (base: string): Promise<string> => {
  const sent = await fetch(`${base}/note/import`, {
    method: 'POST',
    headers: { ...bearer(token), 'Content-Type': 'text/csv' },
    body: 'id,title\n1000000,old\n',
  })
  const { id } = JSON.parse(await sent.text()) as { readonly id: number }
  let state = ''
  await until('the import ends', async () => {
    const run = await fetch(`${base}/api/imports/${id}`, { headers: bearer(token) })
    const read = JSON.parse(await run.text()) as { readonly run: { readonly state: string } }
    state = read.run.state
    return state === 'done' || state === 'failed'
  })
  return state
}

test('a start awaits its database; a role with the documented rights needs --no-migrate alone; an export completes before the end', async () => {
  await database.pool.query(
    `DO $$ BEGIN CREATE ROLE ${role} LOGIN; EXCEPTION WHEN duplicate_object THEN NULL; END $$`,
  )
  afterwards(() => database.pool.query(`DROP OWNED BY ${role}`))
  for (const statement of await documentedRights()) await database.pool.query(statement)
  const own = new URL(database.connectionString)
  own.username = role
  own.searchParams.set('host', '/nowhere')
  const address = await startAddress(own.href)
  const settings = { DATABASE_URL: address.connectionString, DATABASE_WAIT_SECONDS: '100' }
  const { child, ended } = await startUp(
    { ...environment, ...settings },
    ['--no-migrate'],
    /databaseAwaited/,
  )
  const up = waitFor(child, /"workerStarted"/)
  address.leadTo(database.connectionString)
  const [, base = ''] = /"address":"([^"]+)"/.exec(await up) ?? []
  const made = await fetch(`${base}/note`, {
    method: 'POST',
    headers: { ...bearer(token), 'Content-Type': 'application/json' },
    body: '{"title":"one"}',
  })
  assert.equal(made.status, 201, await made.text())
  assert.equal((await fetch(`${base}/api/health/ready`)).status, 200)
  assert.equal(await imported(base), 'done')

  const response = await openExport(base, token)
  child.kill('SIGQUIT')
  await waitFor(child, /serviceStopping/)
  await assert.rejects(fetch(`${base}/api/health/live`))
  const body = await buffer(response)
  assert.equal(response.trailers['x-row-count'], String(rows + 2))
  assert.equal(body.toString().trimEnd().split('\r\n').length, rows + 3)
  const { code, err } = await ended
  assert.equal(code, 0, err)
  assert.doesNotMatch(err, /permission denied/)
})
