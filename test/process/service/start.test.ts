/** The whole service as a process on its own database: from an empty database to the pasted lines to its end. */
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { test } from 'node:test'
import { parseCurlLines } from '../../support/curl.ts'
import {
  endedAfterwards,
  main,
  outcomeOf,
  ownName,
  runDocket,
  spawnDocket,
  tokenOf,
  waitFor,
} from '../../support/docket.ts'
import { copyExample, writeProject } from '../../support/service.ts'

const oneEntity = {
  'entities/note.json': { key: 'note', fields: [{ key: 'title', type: 'string' }] },
}

const start = (project: string): ChildProcess =>
  spawnDocket(['start', '--project', project, '--port', '0'])

test('the first start seeds a service, and the three printed lines work when pasted', async () => {
  const project = await copyExample()
  const child = start(project)
  const ended = outcomeOf(child)
  const shown = await waitFor(child, /\/1 -H "Authorization: Bearer \$TOKEN"/)
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
  const token = await tokenOf(project)
  const lines = parseCurlLines(
    shown.slice(shown.indexOf('Create a')).replaceAll(/&& head.*$/gm, ''),
    { TOKEN: token },
  )
  assert.equal(lines.length, 3)
  const statuses: number[] = []
  for (const { url, method, headers, body } of lines) {
    const response = await fetch(url, { method, headers, ...(body !== undefined && { body }) })
    statuses.push(response.status)
    if (url.endsWith('/export')) assert.match(await response.text(), /^ID,Number,Supplier,/)
  }
  assert.deepEqual(statuses, [201, 200, 200])
  child.kill('SIGTERM')
  assert.equal((await ended).code, 0)
  await rm(project, { recursive: true, force: true, maxRetries: 10 })
})

test('a token made beside a running service is accepted by it, and keeps its database running', async () => {
  const project = await copyExample()
  const child = start(project)
  const ended = outcomeOf(child)
  const shown = await waitFor(child, /Bearer \$TOKEN"\s*$/m)
  const [, base = ''] = /is up at (\S+)/.exec(shown) ?? []
  const { out } = await runDocket(['token', '--user', 'boris@example.com', '--project', project])
  const response = await fetch(`${base}/api/me`, {
    headers: { Authorization: `Bearer ${out.trim()}` },
  })
  assert.equal(((await response.json()) as { role: string }).role, 'approver')
  child.kill('SIGINT')
  assert.equal((await ended).code, 0)
  await rm(project, { recursive: true, force: true, maxRetries: 10 })
})

test('"docket login" prints a link beside a running service, for any user', async () => {
  const project = await copyExample()
  const child = start(project)
  const ended = outcomeOf(child)
  const [, base = ''] = /is up at (\S+)/.exec(await waitFor(child, /is up at \S+/)) ?? []
  const args = ['login', '--user', 'boris@example.com', '--project', project]
  const { out, err } = await runDocket(args)
  assert.equal(err, '')
  const [address, code = ''] = out.trim().split('#code=')
  assert.equal(address, `${base}/console/-/login`)
  const session = await signIn(base, code)
  assert.equal(session.may_switch, true)
  const boris = session.users.find(({ id }) => id === session.user_id)
  assert.equal(boris?.role, 'approver')
  child.kill('SIGINT')
  assert.equal((await ended).code, 0)
  const { err: alone } = await runDocket(args)
  assert.match(
    alone,
    /^No service answers at http:\/\/127\.0\.0\.1:3000\. Start it with "docket start"/m,
  )
  await rm(project, { recursive: true, force: true, maxRetries: 10 })
})

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

test('a port in use is reported with a next step', async () => {
  const project = await writeProject(oneEntity)
  const child = start(project)
  const ended = outcomeOf(child)
  const shown = await waitFor(child, /is up at \S+/)
  const [, port = ''] = /is up at \S+:(\d+)/.exec(shown) ?? []
  const second = await runDocket(['start', '--project', project, '--port', port])
  assert.equal(second.code, 1)
  assert.match(second.err, new RegExp(`Port ${port} is in use`))
  child.kill('SIGTERM')
  assert.equal((await ended).code, 0)
  await rm(project, { recursive: true, force: true, maxRetries: 10 })
})

test('on a terminal, start prints the token itself, and a link that signs in', async () => {
  const project = await writeProject(oneEntity)
  const args = [process.execPath, main, 'start', '--project', project, '--port', '0']
  const command = `exec ${args.map((word) => `'${word}'`).join(' ')}`
  // util-linux: a separate terminal, whose input never ends.
  const child = endedAfterwards(
    spawn('script', ['-qefc', command, '/dev/null'], {
      env: { PATH: process.env.PATH, HOME: process.env.HOME },
      stdio: ['pipe', 'pipe', 'pipe'],
    }),
  )
  const ended = outcomeOf(child)
  const shown = await waitFor(child, /export TOKEN=\S+\s/)
  const [, base = ''] = /is up at (\S+)/.exec(shown) ?? []
  const [, token = ''] = /export TOKEN=(eyJ\S+)/.exec(shown) ?? []
  const response = await fetch(`${base}/api/me`, { headers: { Authorization: `Bearer ${token}` } })
  assert.equal(response.status, 200)
  const [, address = '', code = ''] = /Console +(\S+)#code=(\S+)/.exec(shown) ?? []
  assert.equal(address, `${base}/console/-/login`)
  assert.equal((await signIn(base, code)).user_id, 1)
  child.stdin?.write('\u0003')
  assert.equal((await ended).code, 0)
  await rm(project, { recursive: true, force: true, maxRetries: 10 })
})
