/** `docket migrate` and `docket doctor` on calculated values that processes of an earlier version, or SQL, have left behind. */
import assert from 'node:assert/strict'
import { rm } from 'node:fs/promises'
import { after, before, test } from 'node:test'
import { callDocket } from '../../support/call-docket.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database.ts'
import { writeProject } from '../../support/service.ts'

const definitions = (isCalculated: boolean) => ({
  'entities/bill.json': {
    key: 'bill',
    fields: [
      { key: 'number', type: 'string' },
      { key: 'parts', type: 'oneToMany', entity: 'part', mappedBy: 'bill' },
      ...(isCalculated
        ? [
            {
              ...{ key: 'total', type: 'decimal', precision: 12, scale: 2 },
              rollup: { sum: 'parts.net' },
            },
          ]
        : []),
    ],
  },
  'entities/part.json': {
    key: 'part',
    fields: [
      { key: 'bill', type: 'manyToOne', entity: 'bill' },
      { key: 'price', type: 'integer' },
      ...(isCalculated ? [{ key: 'net', type: 'bigint', formula: 'price * 2' }] : []),
    ],
  },
})

let database: TestDatabase
const projects: string[] = []
before(async () => {
  database = await createTestDatabase()
  projects.push(await writeProject(definitions(false)), await writeProject(definitions(true)))
})
after(async () => {
  await database.drop()
  for (const project of projects) await rm(project, { recursive: true, force: true })
})

const docket = (args: readonly string[], project = projects[1] ?? '') =>
  callDocket(args, { DATABASE_URL: database.connectionString, PROJECT: project })

const examine = async (project?: string) => {
  const { code, out } = await docket(['doctor', '--json'], project)
  const { checks } = JSON.parse(out)
  const found = checks.find((one: { check: string }) => one.check === 'calculated values')
  return { code, level: found.level, value: found.value, advice: found.advice }
}

const write = (sql: string) => database.pool.query(sql)
const earlier = /Processes of the version before .* "docket migrate --recalculate"/

test('values that are not what the definitions calculate are named, and a recalculation mends them', async () => {
  assert.doesNotMatch((await docket(['migrate'], projects[0])).err, earlier)
  assert.equal((await examine(projects[0])).value, 'no field is calculated')
  await write(`INSERT INTO records.bill (number) SELECT n FROM generate_series(1, 2100) n`)
  await write(`INSERT INTO records.part (bill_id, price) SELECT id, 10 FROM records.bill`)
  const before = await examine()
  assert.deepEqual(
    [before.level, before.value],
    [
      'unknown',
      'not compared: part.net (its column is missing), bill.total (its column is missing)',
    ],
  )
  const migrated = await docket(['migrate'])
  assert.match(migrated.err, earlier)
  assert.deepEqual(await examine(), {
    ...{
      code: (await examine()).code,
      level: 'ok',
      value: '2 fields as defined',
      advice: undefined,
    },
  })

  // As a process that does not know the fields.
  await write('INSERT INTO records.part (bill_id, price) VALUES (3, 5), (7, 5)')
  await write(`UPDATE records.part SET _is_deleted = true WHERE bill_id = 2100`)
  await write(`ALTER TABLE records.part DISABLE TRIGGER USER`)
  await write('UPDATE records.part SET net = 1 WHERE id = 1')
  await write(`ALTER TABLE records.part ENABLE TRIGGER USER`)
  const wrong = await examine()
  assert.deepEqual([wrong.code, wrong.level], [6, 'fail'])
  assert.equal(
    wrong.value,
    'part.net differs in 1 record (id 1), bill.total differs in 4 records (ids 2100, 7, 3, 1)',
  )
  assert.match(wrong.advice, /docket migrate --recalculate/)

  assert.doesNotMatch((await docket(['migrate', '--recalculate'])).err, earlier)
  assert.equal((await examine()).value, '2 fields as defined')
  assert.doesNotMatch((await docket(['migrate'])).err, earlier)
})

test('without definitions that are valid, nothing is compared', async () => {
  const project = await writeProject({ 'entities/bill.json': '{' })
  projects.push(project)
  const { level, value } = await examine(project)
  assert.deepEqual([level, value], ['unknown', 'the definitions are missing or have errors'])
})
