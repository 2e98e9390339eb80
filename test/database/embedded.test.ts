/** The embedded database: made once, joined by many, stopped by the last. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { startEmbedded } from '../../src/database/embedded/embedded.ts'
import { asStartupError, explainOutput } from '../../src/database/embedded/embedded-errors.ts'
import { StartupError } from '../../src/errors.ts'
import { until } from '../support/wait.ts'
import { aFolder, aNewFolder, ask, postmasterOf, run, watcherOf } from './a-folder.ts'

const longPath = join('a'.repeat(60), 'b'.repeat(60), '.docket')

test('the first start makes a UTF-8 database with ICU collation and reports it', async (t) => {
  const folder = await aNewFolder(t)
  const { connectionString } = await folder.start()
  const about = `SELECT concat_ws(' ', pg_encoding_to_char(encoding), datlocprovider, datname)
    FROM pg_database WHERE datname = current_database()`
  assert.equal(await ask(connectionString, about), 'UTF8 i docket')
  assert.deepEqual(
    folder.observations.map(({ kind }) => kind),
    ['embeddedDatabaseStarted'],
  )
})

test('what was written is there after a stop and a start', async (t) => {
  const folder = await aFolder(t)
  const first = await folder.start()
  await ask(first.connectionString, 'CREATE TABLE kept AS SELECT 7 AS number')
  await first.stop()
  const second = await folder.start()
  assert.equal(await ask(second.connectionString, 'SELECT number FROM kept'), 7)
})

test('the server listens on no port', async (t) => {
  const { connectionString } = await (await aFolder(t)).start()
  assert.equal(await ask(connectionString, 'SHOW listen_addresses'), '')
})

test('only the owner passes into the folder of the socket', async (t) => {
  const folder = await aFolder(t)
  await folder.start()
  assert.equal((await stat(join(folder.directory, 'postgres'))).mode & 0o777, 0o700)
})

test('a folder that a killed start left half made is swept away', async (t) => {
  const folder = await aNewFolder(t)
  await mkdir(join(folder.directory, 'postgres.new-killed', 'data'), { recursive: true })
  await writeFile(join(folder.directory, 'postgres.new-killed', 'data', 'PG_VERSION'), '18')
  await folder.start()
  const left = (await readdir(folder.directory)).filter((name) => name.includes('new'))
  assert.deepEqual(left, [])
})

test('processes that start at once on an empty folder share one server', async (t) => {
  const folder = await aNewFolder(t)
  const all = await Promise.all([1, 2, 3].map(() => folder.startElsewhere()))
  assert.equal(all.filter(({ isStarted }) => isStarted).length, 1)
  const starts = await Promise.all(
    all.map(({ connectionString }) =>
      ask(connectionString, 'SELECT pg_postmaster_start_time()::text'),
    ),
  )
  assert.equal(new Set(starts).size, 1)
  await folder.start()
})

test('the last one out stops the server, the others do not', async (t) => {
  const folder = await aFolder(t)
  const first = await folder.start()
  const second = await folder.start()
  await first.stop()
  assert.equal(await ask(second.connectionString, 'SELECT 1'), 1)
  assert.ok(!folder.isStopped())
  await second.stop()
  assert.ok(folder.isStopped())
})

test('a process counts as present without any query of its own', async (t) => {
  const folder = await aFolder(t)
  const here = await folder.start()
  const elsewhere = await folder.startElsewhere()
  await here.stop()
  assert.equal(await ask(elsewhere.connectionString, 'SELECT 1'), 1)
  await elsewhere.kill('SIGKILL')
  await folder.start()
})

test('stop may be called twice, and after the server has gone', async (t) => {
  const folder = await aFolder(t)
  const database = await folder.start()
  await Promise.all([database.stop(), database.stop()])
  await database.stop()
  assert.ok(folder.isStopped())
})

test('a start and a stop at the same moment end with a server that answers', async (t) => {
  const folder = await aFolder(t)
  let current = await folder.start()
  for (let round = 0; round < 5; round++) {
    const [next] = await Promise.all([folder.start(), current.stop()])
    assert.equal(await ask(next.connectionString, 'SELECT 1'), 1)
    current = next
  }
})

test('a server whose only service is killed is stopped in order, and the next start finds all', async (t) => {
  const folder = await aFolder(t)
  const killed = await folder.startElsewhere()
  await ask(killed.connectionString, 'CREATE TABLE left_behind AS SELECT 7 AS number')
  await killed.kill('SIGKILL')
  await until('the server has stopped', folder.isStopped)
  assert.match(await readFile(join(folder.directory, 'postgres.log'), 'utf8'), /is shut down\s*$/)
  const { connectionString } = await folder.start()
  assert.equal(await ask(connectionString, 'SELECT number FROM left_behind'), 7)
})

test('of several processes that are killed, the last one ends the server', async (t) => {
  const folder = await aFolder(t)
  const all = await Promise.all([1, 2, 3].map(() => folder.startElsewhere()))
  const server = await postmasterOf(folder)
  const last = all.pop()
  assert.ok(last)
  for (const one of all) await one.kill('SIGKILL')
  // Longer than the watching process takes to notice.
  await delay(2_000)
  assert.equal(await ask(last.connectionString, 'SELECT 1'), 1)
  assert.equal(await postmasterOf(folder), server)
  await last.kill('SIGKILL')
  await until('the server has stopped', folder.isStopped)
})

test('a start right after a kill joins the server or starts it anew', async (t) => {
  const folder = await aFolder(t)
  for (let round = 0; round < 3; round++) {
    const killed = await folder.startElsewhere()
    await killed.kill('SIGKILL')
    // About when the watching process stops it.
    await delay(round * 250)
    const { connectionString, stop } = await folder.start()
    assert.equal(await ask(connectionString, 'SELECT 1'), 1)
    await delay(1_000)
    assert.equal(await ask(connectionString, 'SELECT 1'), 1)
    await stop()
  }
})

test('a pid file from before a power loss does not block, whoever has that number now', async (t) => {
  const folder = await aFolder(t)
  const first = await folder.start()
  const data = join(folder.directory, 'postgres')
  const pidFile = await readFile(join(data, 'postmaster.pid'), 'utf8')
  await first.stop()
  // A process of the server's own user, which PostgreSQL itself takes for a server.
  const { uid, gid } = await stat(data)
  const stranger = spawn('sleep', ['600'], process.getuid?.() === 0 ? { uid, gid } : {})
  t.after(() => stranger.kill())
  const stale = pidFile.replace(/^\d+/, String(stranger.pid))
  await writeFile(join(data, 'postmaster.pid'), stale)
  await writeFile(join(data, '.s.PGSQL.5432.lock'), stale)
  const second = await folder.start()
  assert.equal(await ask(second.connectionString, 'SELECT 1'), 1)
})

test('a server that is killed is started again for those who use it', async (t) => {
  const folder = await aFolder(t)
  const { connectionString } = await folder.start()
  const elsewhere = await folder.startElsewhere()
  await ask(connectionString, 'CREATE TABLE saved AS SELECT 7 AS number')
  const server = await postmasterOf(folder)
  process.kill(server, 'SIGKILL')
  const answers = async () => {
    const number = await ask(connectionString, 'SELECT number FROM saved').catch(() => undefined)
    return number === 7
  }
  await until('the server answers again', answers)
  assert.notEqual(await postmasterOf(folder), server)
  assert.equal(await ask(elsewhere.connectionString, 'SELECT number FROM saved'), 7)
})

test('a session of the server that is killed takes all others with it, and they come back', async (t) => {
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

test('what watches a server is replaced when it is ended itself', async (t) => {
  const folder = await aFolder(t)
  const service = await folder.startElsewhere()
  const first = await until('somebody watches', () => watcherOf(folder))
  process.kill(first, 'SIGKILL')
  await until('somebody else watches', async () => {
    const id = await watcherOf(folder)
    return id !== undefined && id !== first
  })
  await service.kill('SIGKILL')
  await until('the server has stopped', folder.isStopped)
  await until('nobody watches', async () => (await watcherOf(folder)) === undefined)
})

test('a path too long for a socket gets a private folder elsewhere, the same at each start', async (t) => {
  const folder = await aNewFolder(t, { path: longPath })
  const first = await folder.start()
  const sockets = new URL(first.connectionString).searchParams.get('host') ?? ''
  assert.equal((await stat(sockets)).mode & 0o777, 0o700)
  const joined = await folder.start()
  assert.equal(joined.connectionString, first.connectionString)
  await Promise.all([first.stop(), joined.stop()])
  assert.equal((await folder.start()).connectionString, first.connectionString)
})

test('a path with a comma, a quote and a space is a path like any other', async (t) => {
  const folder = await aNewFolder(t, { path: `a, "b" 'c' %20/.docket` })
  assert.equal(await ask((await folder.start()).connectionString, 'SELECT 1'), 1)
})

test('a copy of a project has a database of its own while the first one runs', async (t) => {
  const folder = await aNewFolder(t, { path: longPath })
  const copy = await aNewFolder(t, { path: longPath })
  const first = await folder.start()
  await ask(first.connectionString, 'CHECKPOINT')
  await mkdir(join(copy.directory, '..'), { recursive: true })
  await run('cp', '-a', folder.directory, copy.directory)
  const second = await copy.start()
  await ask(second.connectionString, 'CREATE TABLE only_in_copy ()')
  assert.equal(await ask(first.connectionString, `SELECT to_regclass('only_in_copy')`), null)
})

test('over TCP it listens on this machine only and asks for the password', async (t) => {
  const folder = await aNewFolder(t)
  const { connectionString, stop } = await folder.start({ overTcp: true })
  assert.equal(await ask(connectionString, 'SHOW listen_addresses'), '127.0.0.1')
  const wrong = connectionString.replace(/:[0-9a-f]{48}@/, ':wrong@')
  assert.notEqual(wrong, connectionString)
  await assert.rejects(ask(wrong, 'SELECT 1'), { code: '28P01' })
  assert.equal((await folder.start({ overTcp: true })).connectionString, connectionString)
  await stop()
})

test('a server that does not start is explained by the end of its log', async (t) => {
  const folder = await aFolder(t)
  await assert.rejects(
    folder.start({ settings: { fsync: 'off', no_such_setting: '1' } }),
    (error) => {
      assert.ok(error instanceof StartupError)
      assert.match(error.message, /does not start \(it ended with code 1\)/)
      assert.match(error.message, /unrecognized configuration parameter "no_such_setting"/)
      return true
    },
  )
})

test('data of another version of PostgreSQL are left alone, and told with what to do', async (t) => {
  const folder = await aNewFolder(t)
  await (await folder.start()).stop()
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

test('a fault that PostgreSQL is known for is one sentence, without lines of a log', () => {
  const full = 'initdb: error: could not write to file "x": No space left on device'
  assert.match(String(explainOutput(full, '/srv/.docket')), /^The disk of \/srv\/\.docket is full/)
  assert.equal(explainOutput('FATAL: something else', '/srv'), undefined)
  const fault = asStartupError(
    Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' }),
    '/srv',
  )
  assert.ok(fault instanceof StartupError)
  assert.match(fault.message, /The disk of \/srv is full/)
  const other = new TypeError('a fault of our own')
  assert.equal(asStartupError(other, '/srv'), other)
})

test('a folder that cannot be made is a sentence, not a stack', async (t) => {
  const folder = await aNewFolder(t)
  await mkdir(folder.directory)
  const directory = join(folder.directory, 'file', '.docket')
  await writeFile(join(folder.directory, 'file'), '')
  await assert.rejects(startEmbedded({ directory, observe: () => undefined }), StartupError)
})

if (process.getuid?.() === 0) {
  const ownerOf = async (id: number) => {
    const status = await readFile(`/proc/${id}/status`, 'utf8')
    return Number(/^Uid:\s+(\d+)/m.exec(status)?.[1])
  }

  test('root hands the server to another user, who owns the data', async (t) => {
    const folder = await aNewFolder(t)
    await folder.start()
    const owner = await ownerOf(await postmasterOf(folder))
    assert.notEqual(owner, 0)
    assert.equal((await stat(join(folder.directory, 'postgres'))).uid, owner)
  })

  test('a project of root in a folder closed to others works', async (t) => {
    const folder = await aNewFolder(t, { mode: 0o700 })
    const { connectionString } = await folder.start()
    assert.equal(await ask(connectionString, 'SELECT 1'), 1)
    assert.notEqual(await ownerOf(await postmasterOf(folder)), 0)
  })

  test('data that a copy gave to root are told with what to do', async (t) => {
    const folder = await aNewFolder(t)
    await (await folder.start()).stop()
    const copy = await aNewFolder(t)
    await mkdir(join(copy.directory, '..'), { recursive: true })
    await run('cp', '-r', folder.directory, copy.directory)
    await assert.rejects(copy.start(), {
      name: 'StartupError',
      message: /belongs to root, and PostgreSQL does not run as root.*"cp -a"; "chown -R \d+:\d+ /,
    })
    const { uid, gid } = await stat(join(folder.directory, 'postgres'))
    await run('chown', '-R', `${uid}:${gid}`, join(copy.directory, 'postgres'))
    assert.equal(await ask((await copy.start()).connectionString, 'SELECT 1'), 1)
  })

  test('data that belong to a user are served as that user', async (t) => {
    const folder = await aNewFolder(t)
    await (await folder.start()).stop()
    await run('chown', '-R', '1234:1234', join(folder.directory, 'postgres'))
    await folder.start()
    assert.equal(await ownerOf(await postmasterOf(folder)), 1234)
  })
} else {
  test('the server runs as the user of the service', async (t) => {
    const folder = await aNewFolder(t)
    await folder.start()
    assert.equal((await stat(join(folder.directory, 'postgres'))).uid, process.getuid?.())
  })
}
