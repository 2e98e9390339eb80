/** The embedded database: created once, shared by several processes, stopped by the last. */
import assert from 'node:assert/strict'
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { aFolder, aNewFolder, ask, postmasterOf, run } from '../../support/embedded/a-folder.ts'

const longPath = join('a'.repeat(60), 'b'.repeat(60), '.docket')

test('the first start creates a UTF-8 database with ICU collation and reports it', async (t) => {
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

test('data persists across a stop and a start', async (t) => {
  const folder = await aFolder(t)
  const first = await folder.start()
  await ask(first.connectionString, 'CREATE TABLE stored AS SELECT 7 AS number')
  await first.stop()
  const second = await folder.start()
  assert.equal(await ask(second.connectionString, 'SELECT number FROM stored'), 7)
})

test('the server does not listen on a TCP port', async (t) => {
  const { connectionString } = await (await aFolder(t)).start()
  assert.equal(await ask(connectionString, 'SHOW listen_addresses'), '')
})

test('only the owner can access the folder of the socket', async (t) => {
  const folder = await aFolder(t)
  await folder.start()
  assert.equal((await stat(join(folder.directory, 'postgres'))).mode & 0o777, 0o700)
})

test('a start removes the incomplete folder of a start that was killed', async (t) => {
  const folder = await aNewFolder(t)
  await mkdir(join(folder.directory, 'postgres.new-killed', 'data'), { recursive: true })
  await writeFile(join(folder.directory, 'postgres.new-killed', 'data', 'PG_VERSION'), '18')
  await folder.start()
  const remaining = (await readdir(folder.directory)).filter((name) => name.includes('new'))
  assert.deepEqual(remaining, [])
})

test('processes that start concurrently on an empty folder share one server', async (t) => {
  const folder = await aNewFolder(t)
  const all = await Promise.all([1, 2, 3].map(() => folder.startInProcess()))
  assert.equal(all.filter(({ isStarted }) => isStarted).length, 1)
  const starts = await Promise.all(
    all.map(({ connectionString }) =>
      ask(connectionString, 'SELECT pg_postmaster_start_time()::text'),
    ),
  )
  assert.equal(new Set(starts).size, 1)
  await folder.start()
})

test('only the last user of the server stops it', async (t) => {
  const folder = await aFolder(t)
  const first = await folder.start()
  const second = await folder.start()
  await first.stop()
  assert.equal(await ask(second.connectionString, 'SELECT 1'), 1)
  assert.ok(!folder.isStopped())
  await second.stop()
  assert.ok(folder.isStopped())
})

test('a process counts as a user of the server without sending a query', async (t) => {
  const folder = await aFolder(t)
  const here = await folder.start()
  const other = await folder.startInProcess()
  await here.stop()
  assert.equal(await ask(other.connectionString, 'SELECT 1'), 1)
  await other.kill('SIGKILL')
  await folder.start()
})

test('stop may be called twice, also after the server has ended', async (t) => {
  const folder = await aFolder(t)
  const database = await folder.start()
  await Promise.all([database.stop(), database.stop()])
  await database.stop()
  assert.ok(folder.isStopped())
})

test('a concurrent start and stop end with a running server', async (t) => {
  const folder = await aFolder(t)
  let current = await folder.start()
  for (let round = 0; round < 5; round++) {
    const [next] = await Promise.all([folder.start(), current.stop()])
    assert.equal(await ask(next.connectionString, 'SELECT 1'), 1)
    current = next
  }
})

test('when the path is too long for a socket, each start uses the same private folder elsewhere', async (t) => {
  const folder = await aNewFolder(t, { path: longPath })
  const first = await folder.start()
  const sockets = new URL(first.connectionString).searchParams.get('host') ?? ''
  assert.equal((await stat(sockets)).mode & 0o777, 0o700)
  const joined = await folder.start()
  assert.equal(joined.connectionString, first.connectionString)
  await Promise.all([first.stop(), joined.stop()])
  assert.equal((await folder.start()).connectionString, first.connectionString)
})

test('a path with a comma, a quote and a space works', async (t) => {
  const folder = await aNewFolder(t, { path: `a, "b" 'c' %20/.docket` })
  assert.equal(await ask((await folder.start()).connectionString, 'SELECT 1'), 1)
})

test('a copy of a project runs its own database beside the original', async (t) => {
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

test('with overTcp the server listens on 127.0.0.1 only and requires the password', async (t) => {
  const folder = await aNewFolder(t)
  const { connectionString, stop } = await folder.start({ overTcp: true })
  assert.equal(await ask(connectionString, 'SHOW listen_addresses'), '127.0.0.1')
  const wrong = connectionString.replace(/:[0-9a-f]{48}@/, ':wrong@')
  assert.notEqual(wrong, connectionString)
  await assert.rejects(ask(wrong, 'SELECT 1'), { code: '28P01' })
  assert.equal((await folder.start({ overTcp: true })).connectionString, connectionString)
  await stop()
})

if (process.getuid?.() === 0) {
  const ownerOf = async (id: number) => {
    const status = await readFile(`/proc/${id}/status`, 'utf8')
    return Number(/^Uid:\s+(\d+)/m.exec(status)?.[1])
  }

  test('for root, the server runs as another user, who owns the data', async (t) => {
    const folder = await aNewFolder(t)
    await folder.start()
    const owner = await ownerOf(await postmasterOf(folder))
    assert.notEqual(owner, 0)
    assert.equal((await stat(join(folder.directory, 'postgres'))).uid, owner)
  })

  test('for root, a project in a folder that others cannot open works', async (t) => {
    const folder = await aNewFolder(t, { mode: 0o700 })
    const { connectionString } = await folder.start()
    assert.equal(await ask(connectionString, 'SELECT 1'), 1)
    assert.notEqual(await ownerOf(await postmasterOf(folder)), 0)
  })

  test('when a copy made root the owner of the data, the error says what to do', async (t) => {
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

  test('the server runs as the user who owns the data', async (t) => {
    const folder = await aNewFolder(t)
    await (await folder.start()).stop()
    await run('chown', '-R', '1234:1234', join(folder.directory, 'postgres'))
    await folder.start()
    assert.equal(await ownerOf(await postmasterOf(folder)), 1234)
  })
} else {
  test('when the user is not root, the server runs as that user', async (t) => {
    const folder = await aNewFolder(t)
    await folder.start()
    assert.equal((await stat(join(folder.directory, 'postgres'))).uid, process.getuid?.())
  })
}
