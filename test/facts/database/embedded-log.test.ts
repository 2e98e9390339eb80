/** The log of the embedded server is rotated when it is opened for a start, and no other user can read it. */
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { chmod, readFile, stat, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { openLog } from '../../../src/database/embedded/embedded-server.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const limit = 10 * 1024 * 1024

test('a log larger than 10 MiB is moved to postgres.log.1, replacing the earlier one', async () => {
  const directory = temporaryFolder()
  const log = join(directory, 'postgres.log')
  const older = `${log}.1`
  const restart = async () => (await openLog(directory)).close()
  await restart()
  assert.equal((await stat(log)).size, 0)

  await writeFile(log, 'first')
  await truncate(log, limit)
  await chmod(log, 0o644)
  await restart()
  assert.equal(existsSync(older), false)
  assert.equal((await stat(log)).size, limit)
  assert.equal((await stat(log)).mode & 0o777, 0o600)

  await truncate(log, limit + 1)
  await restart()
  assert.equal((await readFile(older, 'utf8')).slice(0, 5), 'first')
  assert.equal((await stat(log)).size, 0)

  await writeFile(log, 'second')
  await truncate(log, limit + 1)
  await restart()
  assert.equal((await readFile(older, 'utf8')).slice(0, 6), 'second')
})
