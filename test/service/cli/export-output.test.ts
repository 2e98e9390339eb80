/** The output of `docket export` and `docket import`: standard output, files, and what is left after an error. */
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
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
    'entities/thing.json': {
      key: 'thing',
      fields: [
        { key: 'name', type: 'string' },
        { key: 'amount', type: 'integer' },
      ],
    },
  })
  assert.equal((await docket('migrate')).code, 0)
  await database.pool.query(`INSERT INTO records.thing (name) VALUES ('one'), ('two')`)
})

test('rows are written to standard output, and nothing besides them', async () => {
  const { code, out, err } = await docket('export', 'thing', '--where', '{"name":"two"}')
  assert.equal(code, 0, err)
  assert.match(out, /^id,name,amount,[^\r]*\r\n2,two,[^\r]*\r\n$/)
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

test('an import tells the faults of a file and saves the rows that have them; the corrected file is imported', async () => {
  const file = join(project, 'things-to-import.csv')
  const faults = join(project, 'faults.csv')
  const into = ['import', file, '--entity', 'thing', '--faults', faults] as const
  await writeFile(file, '')
  const empty = await docket(...into)
  assert.match(empty.err, /The file is empty\.\n$/)
  await writeFile(file, 'name,amount\r\nthree,3\r\nfour,many\r\n')
  const refused = await docket(...into)
  assert.equal(refused.code, 3, refused.err)
  assert.match(
    refused.err,
    /Row 3, amount: .*\n.*faults\.csv: the rows with faults\n2 rows: 1 created.*\nNothing is written: .*--partly/,
  )
  assert.doesNotMatch(refused.err, /allOrNothing/)
  assert.match(await readFile(faults, 'utf8'), /^name,amount,Row,Faults\r\nfour,many,3,/)
  await writeFile(file, 'name,amount\r\nthree,3\r\nfour,4\r\n')
  const planned = await docket(...into, '--plan')
  assert.deepEqual([planned.code, /2 would be created/.test(planned.err)], [0, true], planned.err)
  const { code, err } = await docket(...into)
  assert.deepEqual([code, /2 created, .* 0 with faults/.test(err)], [0, true], err)
  const { rows } = await database.pool.query('SELECT name, amount FROM records.thing ORDER BY id')
  assert.deepEqual(rows.slice(2), [
    { name: 'three', amount: 3 },
    { name: 'four', amount: 4 },
  ])
})
