/** The user that the embedded server runs as, and how it reaches what it needs. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { findBinaries } from '../../src/database/embedded/embedded-binaries.ts'
import { chooseServerUser } from '../../src/database/embedded/embedded-user.ts'
import { run } from './a-folder.ts'

const open = tmpdir()
const data = join(open, 'no-such-data')

if (process.getuid?.() === 0) {
  test('root hands over to another user by the plain way where all is open', async () => {
    const user = await chooseServerUser({ initdb: '/bin/sh', directory: open, data })
    assert.notEqual(user.ids?.uid, 0)
    assert.deepEqual(user.spawnOptions, user.ids)
    assert.deepEqual(user.command('postgres', ['-D', data]), ['postgres', ['-D', data]])
  })

  test('programs and data in a folder closed to all but root are reached', async (t) => {
    const closed = await mkdtemp(join(open, 'docket-closed-'))
    t.after(() => rm(closed, { recursive: true }))
    await chmod(closed, 0o700)
    const { initdb } = await findBinaries()
    await run('cp', '-r', join(initdb, '..', '..'), join(closed, 'native'))
    const copied = join(closed, 'native', 'bin', 'initdb')
    const user = await chooseServerUser({ initdb: copied, directory: closed, data })
    const [file, args] = user.command(copied, ['--show', '-D', data])
    const shown = spawnSync(file, args, { ...user.spawnOptions, cwd: '/', encoding: 'utf8' })
    assert.equal(shown.status, 0, shown.stderr)
    const [, idArguments] = user.command('id', ['-u'])
    assert.equal(
      spawnSync(file, idArguments, { encoding: 'utf8' }).stdout.trim(),
      `${user.ids?.uid}`,
    )
  })

  test('what cannot be run as another user is explained with what to do', async (t) => {
    const closed = await mkdtemp(join(open, 'docket-closed-'))
    t.after(() => rm(closed, { recursive: true }))
    await chmod(closed, 0o700)
    await assert.rejects(
      chooseServerUser({ initdb: join(closed, 'initdb'), directory: closed, data }),
      {
        name: 'StartupError',
        message: /does not run as root.*run Docket as another user, or set DATABASE_URL/,
      },
    )
  })
} else {
  test('a user who is not root runs the server itself', async () => {
    const { initdb } = await findBinaries()
    const user = await chooseServerUser({ initdb, directory: open, data })
    assert.equal(user.ids, undefined)
    assert.deepEqual(user.command('postgres', ['-D', data]), ['postgres', ['-D', data]])
  })
}
