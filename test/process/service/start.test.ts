/** How the service starts as a process, and what keeps it from a start. `process/stories/new-project` has the first start. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { type AddressInfo, connect, createServer } from 'node:net'
import { networkInterfaces } from 'node:os'
import { test } from 'node:test'
import { afterwards } from '../../support/afterwards.ts'
import { callDocket } from '../../support/call-docket.ts'
import { createTestDatabase } from '../../support/database.ts'
import {
  endedAfterwards,
  main,
  outcomeOf,
  ownName,
  runDocket,
  waitFor,
} from '../../support/docket.ts'
import { addressIn, endWell, signIn, startUp } from '../../support/processes/a-service.ts'
import { writeProject } from '../../support/service.ts'

/** A project on a database of its own. */
const aProject = async () => {
  const database = await createTestDatabase()
  const PROJECT = await writeProject({
    'entities/note.json': { key: 'note', fields: [{ key: 'title', type: 'string' }] },
  })
  return { database, environment: { DATABASE_URL: database.connectionString, PROJECT } }
}

const bearer = (credential: string) => ({ Authorization: `Bearer ${credential}` })

test('on a terminal, start prints the token itself, and a link that signs in; Ctrl-C stops it', async () => {
  const { environment } = await aProject()
  const command = `exec '${process.execPath}' '${main}' start --port 0`
  // util-linux: a separate terminal, whose input never ends.
  const child = endedAfterwards(
    spawn('script', ['-qefc', command, '/dev/null'], {
      env: { PATH: process.env.PATH, HOME: process.env.HOME, ...environment },
      stdio: ['pipe', 'pipe', 'pipe'],
    }),
  )
  const ended = outcomeOf(child)
  const shown = await waitFor(child, /export TOKEN=\S+\s/)
  const base = addressIn(shown)
  const [, token = ''] = /export TOKEN=(eyJ\S+)/.exec(shown) ?? []
  assert.equal((await fetch(`${base}/api/me`, { headers: bearer(token) })).status, 200)
  const [, address = '', code = ''] = /Console +(\S+)#code=(\S+)/.exec(shown) ?? []
  assert.equal(address, `${base}/console/-/login`)
  assert.equal((await signIn(base, code)).user_id, 1)
  child.stdin?.write('\u0003')
  assert.equal((await ended).code, 0)
})

/** A non-loopback address of this machine, if it has one. */
const otherAddress = (): string =>
  Object.values(networkInterfaces())
    .flatMap((list) => list ?? [])
    .find(({ family, internal }) => family === 'IPv4' && !internal)?.address ?? '127.0.0.1'

test('start --host 0.0.0.0 says so, accepts a key from another address, and no token; its port is taken', async () => {
  const { environment } = await aProject()
  const upAt = new RegExp(`${ownName} api-key create`)
  const service = await startUp(environment, ['--host', '0.0.0.0'], upAt)
  assert.match(service.shown, /it accepts only API keys/)
  const { port } = new URL(service.base)
  const { out } = await callDocket(
    ['api-key', 'create', '--user', 'admin@example.com', '--name', 'test'],
    environment,
  )
  const key = /docket_\S+/.exec(out)?.[0] ?? ''
  const token = (await callDocket(['token'], environment)).out.trim()
  // The name in the request does not matter: nothing here depends on being this machine.
  const base = `http://${otherAddress()}:${port}`
  for (const [path, credential, status] of [
    ['/note', key, 200],
    ['/note', token, 401],
    ['/note', undefined, 401],
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
  await endWell(service, 'SIGHUP')
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

/** A gate before PostgreSQL, which lets nobody through at first. */
const startGate = async (to: URL) => {
  let isOpen = false
  const host = to.searchParams.get('host')
  const server = createServer((socket) => {
    if (!isOpen) return void socket.destroy()
    const inside = host
      ? connect(`${host}/.s.PGSQL.${to.port || 5432}`)
      : connect(Number(to.port), to.hostname)
    socket.pipe(inside).pipe(socket)
    socket.on('error', () => inside.destroy())
    inside.on('error', () => socket.destroy())
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  afterwards(async () => void server.close())
  const { port } = server.address() as AddressInfo
  const open = () => {
    isOpen = true
  }
  return { url: `postgres://${role}@127.0.0.1:${port}${to.pathname}`, open }
}

test('a start awaits its database with a log line; a role with the documented rights needs --no-migrate alone', async () => {
  const { database, environment } = await aProject()
  await database.pool.query(
    `DO $$ BEGIN CREATE ROLE ${role} LOGIN; EXCEPTION WHEN duplicate_object THEN NULL; END $$`,
  )
  afterwards(() => database.pool.query(`DROP OWNED BY ${role}`))
  assert.equal((await callDocket(['migrate'], environment)).code, 0)
  for (const statement of await documentedRights()) await database.pool.query(statement)
  const gate = await startGate(new URL(database.connectionString))
  const settings = { ...environment, DATABASE_URL: gate.url, DATABASE_WAIT_SECONDS: '100' }
  const service = await startUp(settings, ['--no-migrate'], /databaseAwaited/)
  const up = waitFor(service.child, /"workerStarted"/)
  gate.open()
  const [, base = ''] = /"address":"([^"]+)"/.exec(await up) ?? []
  const made = await fetch(`${base}/note`, {
    method: 'POST',
    headers: {
      ...bearer((await callDocket(['token'], environment)).out.trim()),
      'Content-Type': 'application/json',
    },
    body: '{"title":"one"}',
  })
  assert.equal(made.status, 201, await made.text())
  assert.equal((await fetch(`${base}/api/health/ready`)).status, 200)
  assert.doesNotMatch(await endWell(service, 'SIGQUIT'), /permission denied/)
})
