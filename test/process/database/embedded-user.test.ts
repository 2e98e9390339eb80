/** The user that the embedded server runs as, and the files that this user can access. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { findBinaries } from '../../../src/database/embedded/embedded-binaries.ts'
import { chooseServerUser } from '../../../src/database/embedded/embedded-user.ts'
import { run } from '../../support/embedded/a-folder.ts'

const open = tmpdir()
const data = join(open, 'no-such-data')

if (process.getuid?.() === 0) {
  test('for root, the server runs as another user by uid and gid when that user can access all folders', async () => {
    const user = await chooseServerUser({ initdb: '/bin/sh', directory: open, data })
    assert.notEqual(user.ids?.uid, 0)
    assert.deepEqual(user.spawnOptions, user.ids)
    assert.deepEqual(user.command('postgres', ['-D', data]), ['postgres', ['-D', data]])
  })

  test('for root, the server can access programs and data in a folder that only root may open', async (t) => {
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

  test('when root cannot run the server as another user, the error says what to do', async (t) => {
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
  test('the server runs as the current user when that is not root', async () => {
    const { initdb } = await findBinaries()
    const user = await chooseServerUser({ initdb, directory: open, data })
    assert.equal(user.ids, undefined)
    assert.deepEqual(user.command('postgres', ['-D', data]), ['postgres', ['-D', data]])
  })
}
