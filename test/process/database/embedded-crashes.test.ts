/** The embedded database when its server, its watcher or the processes that use it are killed. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { aFolder, ask, postmasterOf, watcherOf } from '../../support/embedded/a-folder.ts'
import { until } from '../../support/wait.ts'

test('a server whose only user is killed shuts down cleanly, and the next start finds its data', async (t) => {
  const folder = await aFolder(t)
  const killed = await folder.startInProcess()
  await ask(killed.connectionString, 'CREATE TABLE left_behind AS SELECT 7 AS number')
  await killed.kill('SIGKILL')
  await until('the server has stopped', folder.isStopped)
  assert.match(await readFile(join(folder.directory, 'postgres.log'), 'utf8'), /is shut down\s*$/)
  const { connectionString } = await folder.start()
  assert.equal(await ask(connectionString, 'SELECT number FROM left_behind'), 7)
})

test('of several killed processes, only the last one ends the server', async (t) => {
  const folder = await aFolder(t)
  const all = await Promise.all([1, 2, 3].map(() => folder.startInProcess()))
  const server = await postmasterOf(folder)
  const last = all.pop()
  assert.ok(last)
  for (const one of all) await one.kill('SIGKILL')
  // Longer than the watcher needs to detect it.
  await delay(2_000)
  assert.equal(await ask(last.connectionString, 'SELECT 1'), 1)
  assert.equal(await postmasterOf(folder), server)
  await last.kill('SIGKILL')
  await until('the server has stopped', folder.isStopped)
})

test('a start right after a kill uses the running server or starts a new one', async (t) => {
  const folder = await aFolder(t)
  for (let round = 0; round < 3; round++) {
    const killed = await folder.startInProcess()
    await killed.kill('SIGKILL')
    // About when the watcher stops the server.
    await delay(round * 250)
    const { connectionString, stop } = await folder.start()
    assert.equal(await ask(connectionString, 'SELECT 1'), 1)
    await delay(1_000)
    assert.equal(await ask(connectionString, 'SELECT 1'), 1)
    await stop()
  }
})

test('a stale pid file does not prevent a start, also when another process has that id now', async (t) => {
  const folder = await aFolder(t)
  const first = await folder.start()
  const data = join(folder.directory, 'postgres')
  const pidFile = await readFile(join(data, 'postmaster.pid'), 'utf8')
  await first.stop()
  // A process of the server's user, which PostgreSQL would mistake for a running server.
  const { uid, gid } = await stat(data)
  const unrelated = spawn('sleep', ['600'], process.getuid?.() === 0 ? { uid, gid } : {})
  t.after(() => unrelated.kill())
  const stale = pidFile.replace(/^\d+/, String(unrelated.pid))
  await writeFile(join(data, 'postmaster.pid'), stale)
  await writeFile(join(data, '.s.PGSQL.5432.lock'), stale)
  const second = await folder.start()
  assert.equal(await ask(second.connectionString, 'SELECT 1'), 1)
})

test('a killed server is started again while processes use it', async (t) => {
  const folder = await aFolder(t)
  const { connectionString } = await folder.start()
  const other = await folder.startInProcess()
  await ask(connectionString, 'CREATE TABLE saved AS SELECT 7 AS number')
  const server = await postmasterOf(folder)
  process.kill(server, 'SIGKILL')
  const answers = async () => {
    const number = await ask(connectionString, 'SELECT number FROM saved').catch(() => undefined)
    return number === 7
  }
  await until('the server answers again', answers)
  assert.notEqual(await postmasterOf(folder), server)
  assert.equal(await ask(other.connectionString, 'SELECT number FROM saved'), 7)
})

test('when a server process is killed, the server ends its sessions and accepts new ones', async (t) => {
  const folder = await aFolder(t)
  const { connectionString } = await folder.start()
  const server = await postmasterOf(folder)
  const session = Number(
    await ask(
      connectionString,
      "SELECT pid FROM pg_stat_activity WHERE backend_type = 'checkpointer'",
    ),
  )
  process.kill(session, 'SIGKILL')
  const answers = async () => (await ask(connectionString, 'SELECT 1').catch(() => 0)) === 1
  await until('the server answers again', answers)
  assert.equal(await postmasterOf(folder), server)
})

test('a watcher that is killed is replaced', async (t) => {
  const folder = await aFolder(t)
  const service = await folder.startInProcess()
  const first = await until('a watcher runs', () => watcherOf(folder))
  process.kill(first, 'SIGKILL')
  await until('another watcher runs', async () => {
    const id = await watcherOf(folder)
    return id !== undefined && id !== first
  })
  await service.kill('SIGKILL')
  await until('the server has stopped', folder.isStopped)
  await until('no watcher runs', async () => (await watcherOf(folder)) === undefined)
})
