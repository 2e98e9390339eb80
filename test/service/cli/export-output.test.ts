/** The output of `docket export`: standard output, files, and what is left after an error. */
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { before, test } from 'node:test'
import { opened } from '../../support/afterwards.ts'
import { callDocket } from '../../support/call-docket.ts'
import { createTestDatabase } from '../../support/database.ts'
import { writeProject } from '../../support/service.ts'

const database = opened(() => createTestDatabase())
let project = ''
const docket = (...args: readonly string[]) =>
  callDocket(args, { DATABASE_URL: database.connectionString, PROJECT: project })
before(async () => {
  project = await writeProject({
    'entities/thing.json': { key: 'thing', fields: [{ key: 'name', type: 'string' }] },
  })
  assert.equal((await docket('migrate')).code, 0)
  await database.pool.query(`INSERT INTO records.thing (name) VALUES ('one'), ('two')`)
})

test('rows are written to standard output, and nothing besides them', async () => {
  const { code, out, err } = await docket('export', 'thing', '--where', '{"name":"two"}')
  assert.equal(code, 0, err)
  assert.match(out, /^id,name,[^\r]*\r\n2,two,[^\r]*\r\n$/)
  assert.doesNotMatch(err, /MB|\r/)
})

test('a file is written completely, and no part of it is left next to it', async () => {
  const file = join(project, 'things.csv')
  const { code, err } = await docket('export', 'thing', '--out', file)
  assert.equal(code, 0, err)
  assert.match(err, /things\.csv: 2 rows, \d+ bytes, sha-256 checked/)
  assert.match(await readFile(file, 'utf8'), /^id,name/)
  assert.ok(!existsSync(`${file}.part`))
})

test('a missing folder, a folder in place of a file and an unknown entity are reported, and no file is kept', async () => {
  const file = join(project, 'no.csv')
  for (const [entity, path, sentence] of [
    ['thing', '/nowhere/x.csv', /^\/nowhere\/x\.csv cannot be written: ENOENT/],
    ['thing', project, /^.* is a folder; name a file in it\.\n$/],
    ['thng', file, /did you mean "thing"/],
  ] as const) {
    const { code, out, err } = await docket('export', entity, '--out', path)
    assert.match(err, sentence)
    assert.deepEqual([code, out], [1, ''])
    assert.doesNotMatch(err, /\n\s+at /)
  }
  assert.ok(!existsSync(file) && !existsSync(`${file}.part`))
})
