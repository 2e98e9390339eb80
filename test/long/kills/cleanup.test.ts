/**
 * However and whenever a process with an embedded server ends, nothing of it is left a few seconds
 * later: no service, no PostgreSQL, no watching process.
 */
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { type Outcome, outcomeOf, spawnDocket, waitFor } from '../../support/docket.ts'
import { addressIn, endWell } from '../../support/processes/a-service.ts'
import { untilNothingIsLeft } from '../../support/processes/leftovers.ts'
import { writeProject } from '../../support/service.ts'
import { until } from '../../support/wait.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const project = await writeProject({
  'entities/note.json': { key: 'note', fields: [{ key: 'title', type: 'string' }] },
})

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
  return { ...service, base: addressIn(await waitFor(service.child, /export TOKEN=\S+/)) }
}

for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT'] as const)
  test(`${signal} shuts a service down, with exit code 0`, async () => {
    assert.match(await endWell(await startUp(), signal), /serviceStopped/)
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
})

for (const args of [['token'], ['export', 'note'], ['seed'], ['migrate']])
  test(`Ctrl-C of docket ${args[0]} leaves nothing`, async () => {
    const { child, ended } = docket(args)
    const pidFile = join(project, '.docket', 'postgres', 'postmaster.pid')
    await until('PostgreSQL is started', async () => existsSync(pidFile) || child.exitCode !== null)
    child.kill('SIGINT')
    await ended
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
  })

test('SIGTERM to npm alone ends the service that npm start started', async () => {
  const { PATH, HOME } = process.env
  const env = { PATH, HOME, PROJECT: project, PORT: '0' }
  const npm = track(spawn('npm', ['start'], { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] }))
  await waitFor(npm.child, /is up at/)
  npm.child.kill('SIGTERM')
  await npm.ended
})

test('kill -9 of a process that an older Node.js started leaves nothing', async () => {
  const { PATH, HOME } = process.env
  // The first Node.js in PATH, which may be older than the bundled one.
  const args = [join(root, 'bin', 'docket.cjs'), 'start', '--project', project, '--port', '0']
  const stdio = ['ignore', 'pipe', 'pipe'] as const
  const launcher = track(spawn('node', args, { env: { PATH, HOME }, stdio: [...stdio] }))
  await waitFor(launcher.child, /is up at/)
  launcher.child.kill('SIGKILL')
})

/** In their order: files of `.docket`, and a line of the log. */
const moments = ['postgres.lock', 'postgres/postmaster.pid', /embeddedDatabaseStarted/] as const
const [locked, starting, isUp] = moments

// Signals that a process can handle have the same handler: one of them is tested at every moment.
for (const [signal, at] of [
  ['SIGTERM', moments],
  ['SIGKILL', moments],
  ['SIGINT', [locked]],
  ['SIGHUP', [starting]],
  ['SIGQUIT', [isUp]],
] as const)
  for (const moment of at)
    test(`${signal} during a first start leaves nothing, from ${moment} on`, async () => {
      const directory = await writeProject({ 'docket.json': {} })
      const { child, ended } = docket(['start', '--port', '0'], directory)
      if (typeof moment === 'string')
        await until(`there is ${moment}`, () => existsSync(join(directory, '.docket', moment)))
      else await waitFor(child, moment)
      child.kill(signal)
      await ended
      await untilNothingIsLeft(directory)
    })
