/** The output of `docket export`: standard output, files, and what is left after an error. */
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { callDocket } from '../../support/call-docket.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database.ts'
import { assertSentence, runOn, writeThingProject } from '../database/a-given-database.ts'

let database: TestDatabase
let project = ''
before(async () => {
  database = await createTestDatabase()
  project = await writeThingProject()
  const { code, err } = await runOn(project, ['migrate'], database.connectionString)
  assert.equal(code, 0, err)
  await database.pool.query(`INSERT INTO records.thing (name) VALUES ('one'), ('two')`)
})
after(async () => {
  await database.drop()
  await rm(project, { recursive: true, force: true, maxRetries: 10 })
})

const run = (...more: readonly string[]) =>
  callDocket(['export', 'thing', '--project', project, ...more], {
    DATABASE_URL: database.connectionString,
  })

test('rows are written to standard output, and nothing beside them', async () => {
  const { code, out, err } = await run('--where', '{"name":"two"}')
  assert.equal(code, 0, err)
  assert.match(out, /^id,name,[^\r]*\r\n2,two,[^\r]*\r\n$/)
  assert.doesNotMatch(err, /MB|\r/)
})

test('a missing folder and an existing folder are reported before anything starts', async () => {
  assertSentence(
    await run('--out', '/nowhere/x.csv'),
    /^\/nowhere\/x\.csv cannot be written: ENOENT/,
  )
  assertSentence(await run('--out', project), /^.* is a folder; name a file in it\.\n$/)
})

test('a file is written completely, and no part of it is left beside it', async () => {
  const file = join(project, 'things.csv')
  const { code, err } = await run('--out', file)
  assert.equal(code, 0, err)
  assert.match(err, /things\.csv: 2 rows, \d+ bytes, sha-256 checked/)
  assert.match(await readFile(file, 'utf8'), /^id,name/)
  assert.ok(!existsSync(`${file}.part`))
})

test('an unknown entity is an error, and no file is kept', async () => {
  const file = join(project, 'no.csv')
  const { code, err } = await callDocket(['export', 'thng', '--out', file, '--project', project], {
    DATABASE_URL: database.connectionString,
  })
  assert.equal(code, 1)
  assert.match(err, /did you mean "thing"/)
  assert.ok(!existsSync(file) && !existsSync(`${file}.part`))
})
