/** Errors of the embedded database say what failed and what to do. */
import assert from 'node:assert/strict'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { startEmbedded } from '../../../src/database/embedded/embedded.ts'
import { asStartupError, explainOutput } from '../../../src/database/embedded/embedded-errors.ts'
import { StartupError } from '../../../src/errors.ts'
import { aFolder, aNewFolder } from '../../support/embedded/a-folder.ts'

test('the error for a server that does not start contains the end of its log', async (t) => {
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

test('data of another PostgreSQL version are not changed, and the error says what to do', async (t) => {
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

test('a known PostgreSQL error becomes one sentence without log lines', () => {
  const full = 'initdb: error: could not write to file "x": No space left on device'
  assert.match(String(explainOutput(full, '/srv/.docket')), /^The disk of \/srv\/\.docket is full/)
  assert.equal(explainOutput('FATAL: something else', '/srv'), undefined)
  const startupError = asStartupError(
    Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' }),
    '/srv',
  )
  assert.ok(startupError instanceof StartupError)
  assert.match(startupError.message, /The disk of \/srv is full/)
  const other = new TypeError('a programming error')
  assert.equal(asStartupError(other, '/srv'), other)
})

test('a folder that cannot be created causes a StartupError', async (t) => {
  const folder = await aNewFolder(t)
  await mkdir(folder.directory)
  const directory = join(folder.directory, 'file', '.docket')
  await writeFile(join(folder.directory, 'file'), '')
  await assert.rejects(startEmbedded({ directory, observe: () => undefined }), StartupError)
})
