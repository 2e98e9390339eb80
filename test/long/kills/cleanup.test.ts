/**
 * However and whenever a process with an embedded server ends, nothing of it is left a few seconds
 * later: no service, no PostgreSQL, no watching process.
 */
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { readFile, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, afterEach, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { type Outcome, outcomeOf, spawnDocket, waitFor } from '../../support/docket.ts'
import { processesOf, untilNothingIsLeft } from '../../support/processes/leftovers.ts'
import { writeProject } from '../../support/service.ts'
import { until } from '../../support/wait.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const project = await writeProject({
  'entities/note.json': { key: 'note', fields: [{ key: 'title', type: 'string' }] },
})
after(() => rm(project, { recursive: true, force: true, maxRetries: 5 }))

const started = new Map<ChildProcess, Promise<Outcome>>()
afterEach(async () => {
  for (const child of started.keys()) child.kill('SIGKILL')
  started.clear()
  await untilNothingIsLeft(project)
})

const track = (child: ChildProcess) => {
  const ended = outcomeOf(child)
  started.set(child, ended)
  return { child, ended }
}

const docket = (args: readonly string[], directory = project) =>
  track(spawnDocket([...args, '--project', directory]))

const startUp = async () => {
  const service = docket(['start', '--port', '0'])
  const shown = await waitFor(service.child, /export TOKEN=\S+/)
  return { ...service, base: /is up at (\S+)/.exec(shown)?.[1] ?? '' }
}

for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT'] as const)
  test(`${signal} shuts a service down, with exit code 0`, async () => {
    const { child, ended } = await startUp()
    child.kill(signal)
    const { code, err } = await ended
    assert.equal(code, 0, err)
    assert.match(err, /serviceStopped/)
    await untilNothingIsLeft(project)
  })

test('kill -9 of a service leaves nothing, and its PostgreSQL is shut down', async () => {
  const { child, ended } = await startUp()
  child.kill('SIGKILL')
  await ended
  await untilNothingIsLeft(project)
  const log = await readFile(join(project, '.docket', 'postgres.log'), 'utf8')
  assert.match(log, /database system is shut down\s*$/)
})

test('several signals together, as from npm and a terminal, shut a service down', async () => {
  const { child, ended } = await startUp()
  child.kill('SIGTERM')
  child.kill('SIGINT')
  assert.equal((await ended).code, 0)
  await untilNothingIsLeft(project)
})

test('a later signal ends a service immediately and leaves nothing', async () => {
  const { child, ended, base } = await startUp()
  // A request that does not end keeps the service running until its grace time is over.
  const { hostname, port } = new URL(base)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => undefined)
  await once(socket, 'connect')
  socket.write('GET /api/health/live HTTP/1.1\r\nHost: ')
  // It has been read when a later one is answered.
  assert.equal((await fetch(`${base}/api/health/live`)).status, 200)
  const stopping = waitFor(child, /serviceStopping/)
  child.kill('SIGTERM')
  await stopping
  // An earlier one would be taken for the same signal.
  await delay(1_300)
  child.kill('SIGTERM')
  assert.equal((await ended).code, 1)
  socket.destroy()
  await untilNothingIsLeft(project)
})

for (const args of [['token'], ['export', 'note'], ['seed'], ['migrate']])
  test(`Ctrl-C of docket ${args[0]} leaves nothing`, async () => {
    const { child, ended } = docket(args)
    const pidFile = join(project, '.docket', 'postgres', 'postmaster.pid')
    await until('PostgreSQL is started', async () => existsSync(pidFile) || child.exitCode !== null)
    child.kill('SIGINT')
    await ended
    await untilNothingIsLeft(project)
  })

for (const [what, end, exitCode] of [
  ['an uncaught error', 'throw new Error("on purpose")', 1],
  ['process.exit', 'process.exit(0)', 0],
  ['process.abort', 'process.abort()', null],
] as const)
  test(`${what} leaves nothing`, async () => {
    const program = `const { startEmbedded } = await import(${JSON.stringify(join(root, 'src/database/embedded/embedded.ts'))})
      const { connectionString } = await startEmbedded({ directory: ${JSON.stringify(join(project, '.docket'))}, observe: () => {} })
      console.log(connectionString)
      setTimeout(() => { ${end} }, 50)`
    const args = ['--input-type=module-typescript', '-e', program]
    const { code, out, err } = await track(spawn(process.execPath, args, { cwd: tmpdir() })).ended
    // It had a server until then.
    assert.match(out, /^postgresql:/, err)
    assert.equal(code, exitCode, err)
    await untilNothingIsLeft(project)
  })

test('a server that several processes share runs until the last of them is killed', async () => {
  const { child, ended, base } = await startUp()
  const worker = docket(['worker'])
  await waitFor(worker.child, /run here/)
  child.kill('SIGKILL')
  await ended
  await delay(2_000)
  const token = docket(['token'])
  assert.equal((await token.ended).code, 0)
  assert.notEqual((await processesOf(project)).length, 0)
  assert.equal(worker.child.exitCode, null)
  assert.notEqual(base, '')
  worker.child.kill('SIGKILL')
  await untilNothingIsLeft(project)
})

test('SIGTERM to npm alone ends the service that npm start started', async () => {
  const { PATH, HOME } = process.env
  const env = { PATH, HOME, PROJECT: project, PORT: '0' }
  const npm = track(spawn('npm', ['start'], { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] }))
  await waitFor(npm.child, /is up at/)
  npm.child.kill('SIGTERM')
  await npm.ended
  await untilNothingIsLeft(project)
})

test('kill -9 of a process that an older Node.js started leaves nothing', async () => {
  const { PATH, HOME } = process.env
  // The first Node.js in PATH, which may be older than the bundled one.
  const args = [join(root, 'bin', 'docket.cjs'), 'start', '--project', project, '--port', '0']
  const stdio = ['ignore', 'pipe', 'pipe'] as const
  const launcher = track(spawn('node', args, { env: { PATH, HOME }, stdio: [...stdio] }))
  await waitFor(launcher.child, /is up at/)
  launcher.child.kill('SIGKILL')
  await untilNothingIsLeft(project)
})

test('a service whose PostgreSQL is killed restarts it, and responds', async () => {
  const { child, ended, base } = await startUp()
  const ready = async () => (await fetch(`${base}/api/health/ready`)).status
  const pidFile = join(project, '.docket', 'postgres', 'postmaster.pid')
  for (let round = 0; round < 2; round++) {
    const id = Number((await readFile(pidFile, 'utf8')).split('\n')[0])
    process.kill(id, 'SIGKILL')
    // The file disappears and reappears while it is read.
    const isAnother = async () => {
      const found = Number((await readFile(pidFile, 'utf8').catch(() => '')).split('\n')[0])
      return found > 0 && found !== id
    }
    await until('another PostgreSQL is started', isAnother)
    await until('the service answers again', async () => (await ready()) === 200)
  }
  child.kill('SIGTERM')
  assert.equal((await ended).code, 0)
})
