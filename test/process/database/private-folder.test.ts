/** Other users of the machine cannot read the folder of the embedded database, and its log holds no values. */
import assert from 'node:assert/strict'
import { chmod, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { openDevelopmentIssuer } from '../../../src/auth/tokens/development-issuer.ts'
import { aFolder, aNewFolder, ask } from '../../support/embedded/a-folder.ts'

const modeOf = async (...path: string[]) => (await stat(join(...path))).mode & 0o777

test('other users can neither list nor read the folder, also when it was readable before', async (t) => {
  const { directory, start } = await aNewFolder(t)
  await mkdir(directory, { mode: 0o755 })
  await chmod(directory, 0o755)
  await writeFile(join(directory, 'postgres.log'), '', { mode: 0o644 })
  await start()
  await openDevelopmentIssuer(join(directory, '..'))
  assert.equal((await modeOf(directory)) & 0o067, 0)
  for (const name of await readdir(directory))
    assert.equal((await modeOf(directory, name)) & 0o077, 0, name)
})

test('the folder of the signing key is private too when there is no embedded database', async (t) => {
  const { directory } = await aNewFolder(t)
  await openDevelopmentIssuer(join(directory, '..'))
  assert.equal(await modeOf(directory), 0o700)
})

test('the log of the server has the error but none of the values', async (t) => {
  const { directory, start } = await aFolder(t)
  const { connectionString } = await start()
  await ask(connectionString, 'CREATE TABLE person (email text UNIQUE)')
  const statement = `INSERT INTO person VALUES ('sentinel@example.com')`
  await ask(connectionString, statement)
  await assert.rejects(ask(connectionString, statement), { code: '23505' })
  const log = await readFile(join(directory, 'postgres.log'), 'utf8')
  assert.match(log, /duplicate key value/)
  assert.doesNotMatch(log, /sentinel/)
})
