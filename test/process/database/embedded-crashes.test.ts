/** The embedded database when its server or its watcher is killed, or cannot start, and what the errors say. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { startEmbedded } from '../../../src/database/embedded/embedded.ts'
import { asStartupError, explainOutput } from '../../../src/database/embedded/embedded-server.ts'
import { StartupError } from '../../../src/errors.ts'
import {
  aFolder,
  aNewFolder,
  ask,
  postmasterOf,
  watcherOf,
} from '../../support/embedded/a-folder.ts'
import { until } from '../../support/wait.ts'

test('a start right after a kill uses the running server or starts a new one', async () => {
  const folder = await aFolder()
  // The second is about when the watcher stops the server.
  for (const ms of [0, 2_200]) {
    await (await folder.startInProcess()).kill()
    await delay(ms)
    const { connectionString, stop } = await folder.start()
    assert.equal(await ask(connectionString, 'SELECT 1'), 1)
    await delay(3_000)
    assert.equal(await ask(connectionString, 'SELECT 1'), 1)
    await stop()
  }
})

test('a stale pid file does not prevent a start, also when another process has that id now', async (t) => {
  const folder = await aFolder()
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

test('a server that loses a process accepts new sessions, and one that is killed is started again', async () => {
  const folder = await aFolder()
  const { connectionString } = await folder.start()
  const other = await folder.startInProcess()
  await ask(connectionString, 'CREATE TABLE saved AS SELECT 7 AS number')
  const answers = () =>
    until('the server answers again', async () => {
      const number = await ask(connectionString, 'SELECT number FROM saved').catch(() => undefined)
      return number === 7
    })
  const server = await postmasterOf(folder)
  const part = `SELECT pid FROM pg_stat_activity WHERE backend_type = 'checkpointer'`
  process.kill(Number(await ask(connectionString, part)), 'SIGKILL')
  await answers()
  assert.equal(await postmasterOf(folder), server)
  process.kill(server, 'SIGKILL')
  await answers()
  assert.notEqual(await postmasterOf(folder), server)
  assert.equal(await ask(other.connectionString, 'SELECT number FROM saved'), 7)
})

test('a watcher that is killed is replaced', async () => {
  const folder = await aFolder()
  const service = await folder.startInProcess()
  const first = await until('a watcher runs', () => watcherOf(folder))
  process.kill(first, 'SIGKILL')
  await until('another watcher runs', async () => {
    const id = await watcherOf(folder)
    return id !== undefined && id !== first
  })
  await service.kill()
  await until('the server has stopped', folder.isStopped)
  await until('no watcher runs', async () => (await watcherOf(folder)) === undefined)
})

test('a server that does not start is an error with the end of its log; data of another version are left', async () => {
  const folder = await aFolder()
  const settings = { fsync: 'off', no_such_setting: '1' }
  await assert.rejects(folder.start({ settings }), {
    name: 'StartupError',
    message:
      /does not start \(it ended with code 1\)[\s\S]*unrecognized configuration parameter "no_such_setting"/,
  })
  const file = join(folder.directory, 'postgres', 'PG_VERSION')
  const version = await readFile(file, 'utf8')
  await writeFile(file, '17\n')
  await assert.rejects(folder.start(), {
    name: 'StartupError',
    message:
      /is of PostgreSQL 17, and this version of Docket contains PostgreSQL \d+\. Create a backup/,
  })
  await writeFile(file, version)
  await folder.start()
})

test('a known PostgreSQL error becomes one sentence without log lines', () => {
  const full = 'initdb: error: could not write to file "x": No space left on device'
  assert.match(String(explainOutput(full, '/srv/.docket')), /^The disk of \/srv\/\.docket is full/)
  const libraries =
    'postgres: error while loading shared libraries: libicuuc.so.60: cannot open shared object file: No such file or directory'
  assert.match(String(explainOutput(libraries, '/srv')), /is not finished.*Run "npm ci" again\.$/)
  assert.equal(explainOutput('FATAL: something else', '/srv'), undefined)
  const ofDisk = Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' })
  const startupError = asStartupError(ofDisk, '/srv')
  assert.ok(startupError instanceof StartupError)
  assert.match(startupError.message, /The disk of \/srv is full/)
  const other = new TypeError('a programming error')
  assert.equal(asStartupError(other, '/srv'), other)
})

test('a folder that cannot be created causes a StartupError', async () => {
  const folder = await aNewFolder()
  await mkdir(folder.directory)
  await writeFile(join(folder.directory, 'file'), '')
  const directory = join(folder.directory, 'file', '.docket')
  await assert.rejects(startEmbedded({ directory, observe: () => undefined }), StartupError)
})
