/** The whole service as a process: from an empty database to the pasted lines, and what keeps it from a start. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, rm } from 'node:fs/promises'
import { type AddressInfo, connect, createServer, type Server } from 'node:net'
import { networkInterfaces } from 'node:os'
import { test } from 'node:test'
import { afterwards } from '../../support/afterwards.ts'
import { callDocket } from '../../support/call-docket.ts'
import { parseCurlLines } from '../../support/curl.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database.ts'
import {
  endedAfterwards,
  main,
  outcomeOf,
  ownName,
  runDocket,
  tokenOf,
  waitFor,
} from '../../support/docket.ts'
import { addressIn, endWell, startUp } from '../../support/processes/a-service.ts'
import { copyExample, writeProject } from '../../support/service.ts'

const noteProject = {
  'entities/note.json': { key: 'note', fields: [{ key: 'title', type: 'string' }] },
}

/** A project on a database of its own. */
const aProject = async (files: Readonly<Record<string, object>> = noteProject) => {
  const database = await createTestDatabase()
  const directory = await writeProject(files)
  return { database, environment: { DATABASE_URL: database.connectionString, PROJECT: directory } }
}

type SignedIn = {
  readonly user_id: number
  readonly may_switch: boolean
  readonly users: readonly { readonly id: number; readonly role: string }[]
}

/** Signs in as the console does, and returns the session. */
const signIn = async (base: string, code: string): Promise<SignedIn> => {
  const headers = { 'Sec-Fetch-Site': 'same-origin', 'Content-Type': 'application/json' }
  const path = `${base}/console/-/session`
  const started = await fetch(path, { method: 'POST', headers, body: JSON.stringify({ code }) })
  assert.equal(started.status, 200, await started.text())
  const Cookie = (started.headers.getSetCookie()[0] ?? '').split(';')[0] ?? ''
  return (await (await fetch(path, { headers: { ...headers, Cookie } })).json()) as SignedIn
}

test('a first start seeds the example; its lines can be pasted, and commands run beside it', async () => {
  const project = await copyExample()
  const service = await startUp(
    { PROJECT: project },
    ['--project', project],
    /\/1 -H "Authorization: Bearer \$TOKEN"/,
  )
  const { shown, base } = service
  assert.match(shown, /Procurement is up at http:\/\/127\.0\.0\.1:\d+/)
  assert.match(shown, /Loaded 15673 example records/)
  assert.doesNotMatch(shown, /error handlers/, 'no library prints to the output')
  // Nothing in a permanent log grants access.
  assert.match(shown, new RegExp(`export TOKEN=\\$\\(${ownName} token --project ${project}\\)`))
  assert.doesNotMatch(shown, /eyJ[\w-]+\.[\w-]+\.|#code=/)
  assert.match(
    shown,
    new RegExp(`Console +http:\\S+/console/ \\(a link to sign in: ${ownName} login `),
  )
  // By a program of its own, whose end does not end the database of the service.
  const TOKEN = await tokenOf(project)
  const lines = parseCurlLines(
    shown.slice(shown.indexOf('Create a')).replaceAll(/&& head.*$/gm, ''),
    { TOKEN },
  )
  assert.equal(lines.length, 3)
  const statuses: number[] = []
  for (const { url, method, headers, body } of lines) {
    const response = await fetch(url, { method, headers, ...(body !== undefined && { body }) })
    statuses.push(response.status)
    if (url.endsWith('/export')) assert.match(await response.text(), /^ID,Number,Supplier,/)
  }
  assert.deepEqual(statuses, [201, 200, 200])

  const as = ['--user', 'boris@example.com', '--project', project]
  const { out: other } = await callDocket(['token', ...as])
  const me = await fetch(`${base}/api/me`, { headers: { Authorization: `Bearer ${other.trim()}` } })
  assert.equal(((await me.json()) as { role: string }).role, 'approver')

  const { out, err } = await callDocket(['login', ...as])
  assert.equal(err, '')
  const [address, code = ''] = out.trim().split('#code=')
  assert.equal(address, `${base}/console/-/login`)
  const session = await signIn(base, code)
  assert.equal(session.may_switch, true)
  const boris = session.users.find(({ id }) => id === session.user_id)
  assert.equal(boris?.role, 'approver')

  await endWell(service, 'SIGINT')
  const { err: alone } = await callDocket(['login', ...as])
  assert.match(
    alone,
    /^No service answers at http:\/\/127\.0\.0\.1:3000\. Start it with "docket start"/m,
  )
  await rm(project, { recursive: true, force: true, maxRetries: 10 })
})

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
  const response = await fetch(`${base}/api/me`, { headers: { Authorization: `Bearer ${token}` } })
  assert.equal(response.status, 200)
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
  const service = await startUp(
    environment,
    ['--host', '0.0.0.0'],
    new RegExp(`${ownName} api-key create`),
  )
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
  const statusOf = async (path: string, credential?: string) => {
    const headers: Record<string, string> =
      credential === undefined ? {} : { Authorization: `Bearer ${credential}` }
    return (await fetch(`${base}${path}`, { headers })).status
  }
  for (const [path, credential, status] of [
    ['/note', key, 200],
    ['/note', token, 401],
    ['/note', undefined, 401],
    ['/api/metrics', undefined, 401],
    ['/api/metrics', key, 200],
    ['/api/openapi.json', undefined, 401],
    ['/api/docs', undefined, 200],
  ] as const)
    assert.equal(await statusOf(path, credential), status, path)
  const second = await runDocket(['start', '--host', '0.0.0.0', '--port', port], environment)
  assert.equal(second.code, 1)
  assert.match(second.err, new RegExp(`Port ${port} is in use on 0\\.0\\.0\\.0`))
  assert.equal(second.out, '')
  await endWell(service, 'SIGHUP')
})

test('a start whose records are in a step that its workflow has lost ends with 4, without a stack', async () => {
  const projectOf = (step: string) => ({
    'entities/order.json': {
      key: 'order',
      fields: [],
      workflow: { initialStep: step, steps: [{ key: step, final: true }] },
    },
  })
  const { database, environment } = await aProject(projectOf('draft'))
  assert.equal((await callDocket(['migrate'], environment)).code, 0)
  await database.pool.query('INSERT INTO records."order" DEFAULT VALUES')
  const PROJECT = await writeProject(projectOf('open'))
  const { code, out, err } = await runDocket(['start', '--port', '0'], { ...environment, PROJECT })
  assert.deepEqual([code, out], [4, ''])
  assert.match(err, /1 record of order is in the step "draft"/)
  assert.doesNotMatch(err, /\.ts:\d+/)
})

/** A server that leads to the PostgreSQL of the tests. */
const createProxy = ({ connectionString }: TestDatabase): Server => {
  const { hostname, port, searchParams } = new URL(connectionString)
  const host = searchParams.get('host')
  return createServer((socket) => {
    const upstream = host
      ? connect(`${host}/.s.PGSQL.${port || 5432}`)
      : connect(Number(port), hostname)
    socket.pipe(upstream).pipe(socket)
    socket.on('error', () => upstream.destroy())
    upstream.on('error', () => socket.destroy())
  })
}

test('a database that cannot be reached yet is awaited with a log line, and the start continues', async () => {
  const { database, environment } = await aProject()
  // Nobody is let through before the start has said that it waits.
  let isOpen = false
  const proxy = createProxy(database)
  const gate = createServer((socket) => {
    if (!isOpen) return void socket.destroy()
    const inside = connect((proxy.address() as AddressInfo).port, '127.0.0.1')
    socket.pipe(inside).pipe(socket)
    socket.on('error', () => inside.destroy())
    inside.on('error', () => socket.destroy())
  })
  for (const server of [proxy, gate]) await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = gate.address() as AddressInfo
  const DATABASE_URL = `postgres://docket@127.0.0.1:${port}${new URL(database.connectionString).pathname}`
  const service = await startUp(
    { ...environment, DATABASE_URL, DATABASE_WAIT_SECONDS: '100' },
    [],
    /databaseAwaited/,
  )
  const up = waitFor(service.child, /is up at/)
  isOpen = true
  await up
  await endWell(service, 'SIGQUIT')
  for (const server of [proxy, gate]) server.close()
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

test('a role with the documented rights starts with --no-migrate, writes, and runs jobs', async () => {
  const { database, environment } = await aProject()
  await database.pool.query(
    `DO $$ BEGIN CREATE ROLE ${role} LOGIN; EXCEPTION WHEN duplicate_object THEN NULL; END $$`,
  )
  afterwards(() => database.pool.query(`DROP OWNED BY ${role}`))
  assert.equal((await callDocket(['migrate'], environment)).code, 0)
  for (const statement of await documentedRights()) await database.pool.query(statement)
  const url = new URL(database.connectionString)
  url.username = role
  const service = await startUp(
    { ...environment, DATABASE_URL: url.href },
    ['--no-migrate'],
    /workerStarted/,
  )
  const [, base = ''] = /"address":"([^"]+)"/.exec(service.shown) ?? []
  const token = (await callDocket(['token'], environment)).out.trim()
  const made = await fetch(`${base}/note`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    body: '{"title":"one"}',
  })
  assert.equal(made.status, 201, await made.text())
  assert.equal((await fetch(`${base}/api/health/ready`)).status, 200)
  assert.doesNotMatch(await endWell(service), /permission denied/)
})
