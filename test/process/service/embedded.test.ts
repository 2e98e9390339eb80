/**
 * However a process with an embedded server ends, nothing of it is left a few seconds later: no service, no PostgreSQL, no
 * watching process. `test/long/kills/` tries every signal at every moment.
 */
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, afterEach, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import {
  endedAfterwards,
  outcomeOf,
  runDocket,
  spawnDocket,
  waitFor,
} from '../../support/docket.ts'
import { addressIn, endWell } from '../../support/processes/a-service.ts'
import { processesOf, untilNothingIsLeft } from '../../support/processes/leftovers.ts'
import { writeProject } from '../../support/service.ts'
import { until } from '../../support/wait.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const project = await writeProject({
  'entities/note.json': { key: 'note', fields: [{ key: 'title', type: 'string' }] },
})
const pidFile = join(project, '.docket', 'postgres', 'postmaster.pid')
const started: ChildProcess[] = []
afterEach(async () => {
  for (const child of started.splice(0)) child.kill('SIGKILL')
  await untilNothingIsLeft(project)
})
after(() => rm(project, { recursive: true, force: true, maxRetries: 5 }))

const docket = (...args: readonly string[]) => {
  const child = spawnDocket([...args, '--project', project])
  started.push(child)
  return { child, ended: outcomeOf(child) }
}

const startUp = async () => {
  const service = docket('start', '--port', '0')
  return { ...service, base: addressIn(await waitFor(service.child, /is up at \S+\s/)) }
}

test('SIGKILL while the first start creates the database leaves nothing', async () => {
  const { child } = docket('start', '--port', '0')
  const ended = once(child, 'exit')
  await until('PostgreSQL starts', () => existsSync(pidFile))
  child.kill('SIGKILL')
  await ended
  await untilNothingIsLeft(project)
})

test('a command prepares a database that was never started, and leaves nothing', async () => {
  const { code, out, err } = await runDocket(['token', '--project', project])
  assert.equal(code, 0, err)
  assert.match(out, /^[\w-]+\.[\w-]+\.[\w-]+\n$/)
  await untilNothingIsLeft(project)
})

test('Ctrl-C of a command leaves nothing', async () => {
  const { child, ended } = docket('migrate')
  await until('PostgreSQL is started', () => existsSync(pidFile) || child.exitCode !== null)
  child.kill('SIGINT')
  await ended
  await untilNothingIsLeft(project)
})

test('SIGTERM shuts a service and its PostgreSQL down; one that was killed before is started again', async () => {
  const service = await startUp()
  const id = Number((await readFile(pidFile, 'utf8')).split('\n')[0])
  process.kill(id, 'SIGKILL')
  // The file disappears and reappears while it is read.
  await until('another PostgreSQL is started', async () => {
    const found = Number((await readFile(pidFile, 'utf8').catch(() => '')).split('\n')[0])
    return found > 0 && found !== id
  })
  await until('the service answers again', async () => {
    return (await fetch(`${service.base}/api/health/ready`)).status === 200
  })
  assert.match(await endWell(service), /serviceStopped/)
  await untilNothingIsLeft(project)
})

test('a server that two processes share runs until the last of them is killed', async () => {
  const { child, ended } = await startUp()
  const worker = docket('worker')
  await waitFor(worker.child, /run here/)
  child.kill('SIGKILL')
  await ended
  const token = docket('token')
  assert.equal((await token.ended).code, 0)
  assert.notEqual((await processesOf(project)).length, 0)
  assert.equal(worker.child.exitCode, null)
  worker.child.kill('SIGKILL')
  await untilNothingIsLeft(project)
  const log = await readFile(join(project, '.docket', 'postgres.log'), 'utf8')
  assert.match(log, /database system is shut down\s*$/)
})

test('an uncaught error leaves nothing', async () => {
  const program = `const { startEmbedded } = await import(${JSON.stringify(join(root, 'src/database/embedded/embedded.ts'))})
    const { connectionString } = await startEmbedded({ directory: ${JSON.stringify(join(project, '.docket'))}, observe: () => {} })
    console.log(connectionString)
    setTimeout(() => { throw new Error("on purpose") }, 50)`
  const args = ['--input-type=module-typescript', '-e', program]
  const { code, out, err } = await outcomeOf(
    endedAfterwards(spawn(process.execPath, args, { cwd: tmpdir() })),
  )
  // It had a server until then.
  assert.match(out, /^postgresql:/, err)
  assert.equal(code, 1, err)
  await untilNothingIsLeft(project)
})
