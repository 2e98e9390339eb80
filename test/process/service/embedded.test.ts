/**
 * Commands and services on the embedded database: however a process ends, nothing of it is left a few seconds later: no
 * service, no PostgreSQL, no watching process. `test/long/kills/` tries every signal at every moment.
 */
import assert from 'node:assert/strict'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, test } from 'node:test'
import pg from 'pg'
import { callDocket } from '../../support/call-docket.ts'
import { createTestDatabase } from '../../support/database.ts'
import { outcomeOf, spawnDocket, waitFor } from '../../support/docket.ts'
import { addressIn, endWell } from '../../support/processes/a-service.ts'
import { processesOf, untilNothingIsLeft } from '../../support/processes/leftovers.ts'
import { writeProject } from '../../support/service.ts'
import { until } from '../../support/wait.ts'

const project = await writeProject({
  'entities/note.json': { key: 'note', fields: [{ key: 'title', type: 'string' }] },
})
const pidFile = join(project, '.docket', 'postgres', 'postmaster.pid')
const started: ChildProcess[] = []
afterEach(async () => {
  for (const child of started.splice(0)) child.kill('SIGKILL')
  await untilNothingIsLeft(project)
})

const docket = (...args: readonly string[]) => {
  const child = spawnDocket([...args, '--project', project])
  started.push(child)
  return { child, ended: outcomeOf(child) }
}
const call = (...args: readonly string[]) => callDocket([...args, '--project', project])

test('SIGKILL while the first start creates the database leaves nothing', async () => {
  const { child } = docket('start', '--port', '0')
  const ended = once(child, 'exit')
  await until('PostgreSQL starts', () => existsSync(pidFile))
  child.kill('SIGKILL')
  await ended
})

test('docket restore creates a database that was never started, and leaves nothing', async () => {
  await rm(join(project, '.docket'), { recursive: true, force: true, maxRetries: 5 })
  const { connectionString: DATABASE_URL, pool } = await createTestDatabase()
  const given = { DATABASE_URL, PROJECT: project }
  assert.equal((await callDocket(['migrate'], given)).code, 0)
  await pool.query(`INSERT INTO records.note (title) VALUES ('first')`)
  const file = join(project, 'backup.tar.gz')
  assert.equal((await callDocket(['backup', '--out', file], given)).code, 0)
  const { code, err } = await call('restore', file)
  assert.equal(code, 0, err)
})

test('a PostgreSQL that is killed is started again; it runs until the last of its processes stops', async () => {
  const service = docket('start', '--port', '0')
  const base = addressIn(await waitFor(service.child, /is up at \S+\s/))
  const id = Number((await readFile(pidFile, 'utf8')).split('\n')[0])
  process.kill(id, 'SIGKILL')
  // The file disappears and reappears while it is read.
  await until('another PostgreSQL is started', async () => {
    const found = Number((await readFile(pidFile, 'utf8').catch(() => '')).split('\n')[0])
    return found > 0 && found !== id
  })
  await until('the service answers again', async () => {
    return (await fetch(`${base}/api/health/ready`)).status === 200
  })
  const worker = docket('worker')
  await waitFor(worker.child, /run here/)
  service.child.kill('SIGKILL')
  await service.ended
  const { code, out, err } = await call('token')
  assert.equal(code, 0, err)
  assert.match(out, /^[\w-]+\.[\w-]+\.[\w-]+\n$/)
  assert.notEqual((await processesOf(project)).length, 0)
  assert.equal(worker.child.exitCode, null)
  assert.match(await endWell(worker), /serviceStopped/)
  await untilNothingIsLeft(project)
  const log = await readFile(join(project, '.docket', 'postgres.log'), 'utf8')
  assert.match(log, /database system is shut down\s*$/)
})

test('the address of the database is printed while it is up', async () => {
  const down = await call('database-url')
  assert.equal(down.code, 1)
  assert.match(down.err, /is not running: it runs with "docket start"/)
  const { child, ended } = docket('database-url', '--keep-up')
  const [shown] = await Promise.all([
    waitFor(child, /^postgresql:.*\n/m),
    waitFor(child, /Ctrl-C stops it/),
  ])
  const { out } = await call('database-url')
  assert.equal(out.trim(), /^postgresql:.*$/m.exec(shown)?.[0])
  const client = new pg.Client({ connectionString: out.trim() })
  await client.connect()
  const { rows } = await client.query('SELECT title FROM records.note')
  await client.end()
  assert.deepEqual(rows, [{ title: 'first' }])
  child.kill('SIGINT')
  assert.equal((await ended).code, 0)
})
