/** Large exports in every format, order and filter are copied on several connections; `service/export/` has some of them. */
import assert from 'node:assert/strict'
import { afterEach, before, test } from 'node:test'
import { opened } from '../../support/afterwards.ts'
import { runningExports } from '../../support/export-backends.ts'
import { exportOf, openExport, readToEnd } from '../../support/export-request.ts'
import {
  type Asked,
  clerk,
  exportsOf,
  startLargeTable,
} from '../../support/exports/a-large-table.ts'
import { queryParquet } from '../../support/read-parquet.ts'
import { readArchive } from '../../support/read-xlsx.ts'

let openDivided: ReturnType<typeof exportsOf>['openDivided']
let undivided: ReturnType<typeof exportsOf>['undivided']
let nothingRuns: () => Promise<unknown>
const service = opened(() => startLargeTable(50_000))
before(async () => {
  ;({ openDivided, undivided, nothingRuns } = exportsOf(service))
})
afterEach(() => nothingRuns())

for (const format of ['csv', 'ndjson', 'json'])
  test(`the bytes are those of one statement: ${format}`, async () => {
    const query = `format=${format}`
    const [divided, single] = [
      await readToEnd(await openDivided({ query })),
      await undivided({ query }),
    ]
    assert.equal(divided.status, 200)
    assert.ok(divided.bytes.equals(single.bytes))
  })

test('the workbook and the Parquet file have the content of one statement', async () => {
  const sheetOf = async (bytes: Buffer) =>
    (await readArchive(bytes)).get('xl/worksheets/sheet1.xml')
  const xlsx = { query: 'format=xlsx' }
  assert.equal(
    await sheetOf((await readToEnd(await openDivided(xlsx))).bytes),
    await sheetOf((await undivided(xlsx)).bytes),
  )
  const rowsOf = (bytes: Buffer) => queryParquet(bytes, 'SELECT * FROM file')
  const parquet = { query: 'format=parquet' }
  assert.deepEqual(
    await rowsOf((await readToEnd(await openDivided(parquet))).bytes),
    await rowsOf((await undivided(parquet)).bytes),
  )
})

const orders = [
  ['-id'],
  ['code'],
  ['-code'],
  ['amount'],
  ['-amount'],
  ['moment', '-rank'],
  ['-moment'],
]
for (const $orderBy of orders)
  test(`the order is that of one statement: ${$orderBy}`, async () => {
    const body = { $orderBy }
    const [divided, single] = [
      await readToEnd(await openDivided({ body })),
      await undivided({ body }),
    ]
    assert.ok(divided.bytes.equals(single.bytes))
  })

for (const $orderBy of [['kind'], ['rank'], ['depot.name'], ['-depot.name', 'id']])
  test(`an order without an index of many values is one statement: ${$orderBy}`, async () => {
    const body = { $orderBy }
    const response = await openExport(service, '/entry/export', { body })
    assert.equal((await runningExports(service)).length, 1)
    assert.ok((await readToEnd(response)).bytes.equals((await undivided({ body })).bytes))
  })

test('filters and permissions hold in every range', async () => {
  const asked: Asked[] = [
    { body: { $where: { amount: { $gt: 100 } } } },
    { body: { $where: { id: { $gt: 100_000 } } } },
    { body: { $where: { 'depot.name': { $ne: 'Depot 3' } }, $orderBy: ['-code'] } },
    { body: { $where: { _is_deleted: { $in: [true, false] } }, $orderBy: ['code'] } },
    { as: clerk },
    { as: clerk, body: { $orderBy: ['-moment'] } },
  ]
  for (const one of asked) {
    const divided = await exportOf(service, '/entry/export', one)
    assert.equal(divided.status, 200)
    assert.ok(divided.bytes.equals((await undivided(one)).bytes), JSON.stringify(one))
  }
})
