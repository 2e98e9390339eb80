/** The embedded database: created once, closed to other users, shared by processes, stopped by the last. */
import assert from 'node:assert/strict'
import { chmod, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { openDevelopmentIssuer } from '../../../src/auth/tokens/development-issuer.ts'
import {
  aFolder,
  aNewFolder,
  ask,
  type Folder,
  postmasterOf,
} from '../../support/embedded/a-folder.ts'
import { until } from '../../support/wait.ts'

const modeOf = async (...path: string[]) => (await stat(join(...path))).mode & 0o777

describe('a first start', () => {
  let folder: Folder
  let url = ''
  before(async () => {
    folder = await aNewFolder()
    const { directory } = folder
    // Others could read it before, and a start that was killed has left something.
    await mkdir(join(directory, 'postgres.new-killed', 'data'), { recursive: true })
    await writeFile(join(directory, 'postgres.new-killed', 'data', 'PG_VERSION'), '18')
    await writeFile(join(directory, 'postgres.log'), '', { mode: 0o644 })
    await chmod(directory, 0o755)
    url = (await folder.start()).connectionString
  })

  test('creates a UTF-8 database with ICU collation, which no TCP port leads to, and reports it', async () => {
    const about = `SELECT concat_ws(' ', pg_encoding_to_char(encoding), datlocprovider, datname)
      FROM pg_database WHERE datname = current_database()`
    assert.equal(await ask(url, about), 'UTF8 i docket')
    assert.equal(await ask(url, 'SHOW listen_addresses'), '')
    assert.deepEqual(
      folder.observations.map(({ kind }) => kind),
      ['embeddedDatabaseStarted'],
    )
  })

  test('removes the incomplete folder of a start that was killed', async () => {
    const remaining = (await readdir(folder.directory)).filter((name) => name.includes('new'))
    assert.deepEqual(remaining, [])
  })

  test('closes the folder to other users, who can neither list nor read it', async () => {
    const { directory } = folder
    await openDevelopmentIssuer(join(directory, '..'))
    assert.equal(await modeOf(directory, 'postgres'), 0o700)
    assert.equal((await modeOf(directory)) & 0o067, 0)
    for (const name of await readdir(directory))
      assert.equal((await modeOf(directory, name)) & 0o077, 0, name)
  })

  test('keeps values out of the log of the server, which has the error', async () => {
    await ask(url, 'CREATE TABLE person (email text UNIQUE)')
    const statement = `INSERT INTO person VALUES ('sentinel@example.com')`
    await ask(url, statement)
    await assert.rejects(ask(url, statement), { code: '23505' })
    const log = await readFile(join(folder.directory, 'postgres.log'), 'utf8')
    assert.match(log, /duplicate key value/)
    assert.doesNotMatch(log, /sentinel/)
  })
})

test('the folder of the signing key is private too when there is no embedded database', async () => {
  const { directory } = await aNewFolder()
  await openDevelopmentIssuer(join(directory, '..'))
  assert.equal(await modeOf(directory), 0o700)
})

test('processes that start at once on an empty folder share a server, which ends after the last is killed', async () => {
  const folder = await aNewFolder()
  const all = await Promise.all([1, 2, 3].map(() => folder.startInProcess()))
  assert.equal(all.filter(({ isStarted }) => isStarted).length, 1)
  const starts = await Promise.all(
    all.map((one) => ask(one.connectionString, 'SELECT pg_postmaster_start_time()::text')),
  )
  assert.equal(new Set(starts).size, 1)
  const server = await postmasterOf(folder)
  await (await folder.start()).stop()
  const last = all.pop()
  assert.ok(last)
  for (const one of all) await one.kill()
  // Longer than the watcher needs to detect it.
  await delay(3_500)
  assert.equal(await postmasterOf(folder), server)
  await ask(last.connectionString, 'CREATE TABLE left_behind AS SELECT 7 AS number')
  await last.kill()
  await until('the server has stopped', folder.isStopped)
  assert.match(await readFile(join(folder.directory, 'postgres.log'), 'utf8'), /is shut down\s*$/)
  const { connectionString } = await folder.start()
  assert.equal(await ask(connectionString, 'SELECT number FROM left_behind'), 7)
})

test('only the last user of a process stops the server, once; the next start has its data', async () => {
  const folder = await aFolder()
  const [first, second] = [await folder.start(), await folder.start()]
  await first.stop()
  assert.ok(!folder.isStopped())
  await ask(second.connectionString, 'CREATE TABLE stored AS SELECT 7 AS number')
  await Promise.all([second.stop(), second.stop()])
  await second.stop()
  assert.ok(folder.isStopped())
  const again = await folder.start()
  assert.equal(await ask(again.connectionString, 'SELECT number FROM stored'), 7)
})

test('a concurrent start and stop end with a running server', async () => {
  const folder = await aFolder()
  let current = await folder.start()
  for (let round = 0; round < 2; round++) {
    const [next] = await Promise.all([folder.start(), current.stop()])
    assert.equal(await ask(next.connectionString, 'SELECT 1'), 1)
    current = next
  }
})

test('with overTcp the server listens on 127.0.0.1 only and requires the password', async () => {
  const folder = await aNewFolder()
  const { connectionString } = await folder.start({ overTcp: true })
  assert.equal(await ask(connectionString, 'SHOW listen_addresses'), '127.0.0.1')
  const wrong = connectionString.replace(/:[0-9a-f]{48}@/, ':wrong@')
  assert.notEqual(wrong, connectionString)
  await assert.rejects(ask(wrong, 'SELECT 1'), { code: '28P01' })
  assert.equal((await folder.start({ overTcp: true })).connectionString, connectionString)
  process.kill(await postmasterOf(folder), 'SIGKILL')
  await until('the server answers again, at the same address', async () => {
    const answer = await ask(connectionString, 'SELECT 1').catch(() => undefined)
    return answer === 1
  })
})
