/** The user that the embedded server runs as, and the folders that this user can access. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { findBinaries } from '../../../src/database/embedded/embedded-postmaster.ts'
import { chooseServerUser } from '../../../src/database/embedded/embedded-user.ts'
import {
  aFolder,
  aNewFolder,
  ask,
  type Folder,
  postmasterOf,
  run,
} from '../../support/embedded/a-folder.ts'

const isRoot = process.getuid?.() === 0
const open = tmpdir()
const data = join(open, 'no-such-data')

const ownerOf = async (folder: Folder) => {
  const status = await readFile(`/proc/${await postmasterOf(folder)}/status`, 'utf8')
  return Number(/^Uid:\s+(\d+)/m.exec(status)?.[1])
}

test('the server runs as the owner of the data, who is not root', async () => {
  const folder = await aFolder()
  await folder.start()
  const { uid } = await stat(join(folder.directory, 'postgres'))
  assert.equal(await ownerOf(folder), uid)
  assert.equal(uid === process.getuid?.(), !isRoot)
})

test('a project in a folder that others cannot open works, at a path too long for a socket, and so does its copy', async () => {
  const path = join(`a, "b" 'c' %20`, 'a'.repeat(60), 'b'.repeat(60), '.docket')
  const folder = await aNewFolder({ mode: 0o700, path })
  const first = await folder.start()
  assert.notEqual(await ownerOf(folder), 0)
  const host = new URL(first.connectionString).searchParams.get('host') ?? ''
  assert.equal((await stat(host)).mode & 0o777, 0o700)
  const joined = await folder.start()
  assert.equal(joined.connectionString, first.connectionString)
  await Promise.all([first.stop(), joined.stop()])
  const again = await folder.start()
  assert.equal(again.connectionString, first.connectionString)

  await ask(again.connectionString, 'CHECKPOINT')
  const copy = await aNewFolder({ path })
  await mkdir(join(copy.directory, '..'), { recursive: true })
  await run('cp', '-a', folder.directory, copy.directory)
  const { connectionString } = await copy.start()
  await ask(connectionString, 'CREATE TABLE only_in_copy ()')
  assert.equal(await ask(again.connectionString, `SELECT to_regclass('only_in_copy')`), null)
})

/** A folder that only root may open. */
const aClosedFolder = async (t: TestContext) => {
  const closed = await mkdtemp(join(open, 'docket-closed-'))
  t.after(() => rm(closed, { recursive: true }))
  await chmod(closed, 0o700)
  return closed
}

if (isRoot) {
  test('when a copy made root the owner of the data, the error says what to do; another owner is kept', async () => {
    const folder = await aFolder()
    await (await folder.start()).stop()
    const copy = await aNewFolder()
    await mkdir(join(copy.directory, '..'), { recursive: true })
    await run('cp', '-r', folder.directory, copy.directory)
    await assert.rejects(copy.start(), {
      name: 'StartupError',
      message: /belongs to root, and PostgreSQL does not run as root.*"cp -a"; "chown -R \d+:\d+ /,
    })
    await run('chown', '-R', '1234:1234', join(copy.directory, 'postgres'))
    assert.equal(await ask((await copy.start()).connectionString, 'SELECT 1'), 1)
    assert.equal(await ownerOf(copy), 1234)
  })

  test('the server runs as another user by uid and gid when that user can access all folders', async () => {
    const user = await chooseServerUser({ initdb: '/bin/sh', directory: open, data })
    assert.notEqual(user.ids?.uid, 0)
    assert.deepEqual(user.spawnOptions, user.ids)
    assert.deepEqual(user.command('postgres', ['-D', data]), ['postgres', ['-D', data]])
  })

  test('the server can access programs and data in a folder that only root may open, unless their installation is unfinished', async (t) => {
    const closed = await aClosedFolder(t)
    const { initdb } = await findBinaries()
    await run('cp', '-r', join(initdb, '..', '..'), join(closed, 'native'))
    const copied = join(closed, 'native', 'bin', 'initdb')
    const user = await chooseServerUser({ initdb: copied, directory: closed, data })
    const [file, args] = user.command(copied, ['--show', '-D', data])
    const shown = spawnSync(file, args, { ...user.spawnOptions, cwd: '/', encoding: 'utf8' })
    assert.equal(shown.status, 0, shown.stderr)
    const [, idArguments] = user.command('id', ['-u'])
    const { stdout } = spawnSync(file, idArguments, { encoding: 'utf8' })
    assert.equal(stdout.trim(), `${user.ids?.uid}`)

    const libraries = join(closed, 'native', 'lib')
    for (const name of (await readdir(libraries)).filter((one) => one.startsWith('libicuuc')))
      await rm(join(libraries, name))
    await assert.rejects(chooseServerUser({ initdb: copied, directory: closed, data }), {
      name: 'StartupError',
      message: /Libraries of PostgreSQL are missing: the installation is not finished/,
    })
  })

  test('when root cannot run the server as another user, the error says what to do', async (t) => {
    const closed = await aClosedFolder(t)
    await assert.rejects(
      chooseServerUser({ initdb: join(closed, 'initdb'), directory: closed, data }),
      {
        name: 'StartupError',
        message: /does not run as root.*run Docket as another user, or set DATABASE_URL/,
      },
    )
  })
} else
  test('the server runs as the current user', async () => {
    const { initdb } = await findBinaries()
    const user = await chooseServerUser({ initdb, directory: open, data })
    assert.equal(user.ids, undefined)
    assert.deepEqual(user.command('postgres', ['-D', data]), ['postgres', ['-D', data]])
  })
