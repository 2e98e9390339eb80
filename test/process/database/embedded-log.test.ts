/** The log of the embedded server is rotated at the start. */
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { readFile, stat, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { aFolder } from './a-folder.ts'

const limit = 10 * 1024 * 1024

test('a start moves a log larger than 10 MiB to postgres.log.1, replacing the earlier one', async (t) => {
  const folder = await aFolder(t)
  const log = join(folder.directory, 'postgres.log')
  const older = `${log}.1`
  const restart = async () => (await folder.start()).stop()
  await restart()

  await writeFile(log, 'first')
  await truncate(log, limit)
  await restart()
  assert.equal(existsSync(older), false)
  assert.ok((await stat(log)).size >= limit)

  await truncate(log, limit + 1)
  await restart()
  assert.equal((await readFile(older, 'utf8')).slice(0, 5), 'first')
  assert.ok((await stat(log)).size < limit)

  await writeFile(log, 'second')
  await truncate(log, limit + 1)
  await restart()
  assert.equal((await readFile(older, 'utf8')).slice(0, 6), 'second')
})
