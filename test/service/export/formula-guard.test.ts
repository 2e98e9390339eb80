/** Text that a spreadsheet would run as a formula. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { emptyTables, insertRecords, shareExports } from '../../support/an-export-project.ts'
import { exportOf, readCells } from '../../support/export-request.ts'
import type { TestService } from '../../support/service.ts'

const guarded = [
  '=1',
  '=',
  "=cmd|' /C calc'!A0",
  '@a',
  '@SUM(A1)',
  '\ta',
  '\t=1',
  '\ra',
  '\r\n=1',
  '\n=1',
  '\na',
  '\uFF1D1+1',
  '\uFF0B1',
  '\uFF0D1',
  '\uFF20SUM(A1)',
  '+',
  '-',
  '+SUM(A1)',
  '-SUM(A1)',
  "-cmd|' /C calc'!A0",
  '+49 30 1234-5x',
  '+49 30 1234\n=1',
  '-1\n',
  '-1+1|cmd',
  '--1',
  '+-1',
  '-A1',
  '- 5',
  '+1*1',
  '-1e5',
  '- deliver to gate 3',
  '+(49) 30 1234',
  '+12 =1234',
  '-49 30 1234',
  '=🦊',
]
const kept = [
  'a=1',
  ' =1',
  "'=1",
  '"=1"',
  '1=1',
  '\uFF0A1',
  '\uFF41',
  'x\uFF1D1',
  '(=1)',
  '-12.5',
  '+12,5',
  '-1',
  '+1',
  '-1.234.567,89',
  '+49 30 1234-5',
  '+49 (30) 1234-5',
  '+385-1-234/567',
  '',
  'a',
  'Z',
  '{',
  '~',
  'ž',
]

let service: TestService
before(async () => {
  service = await shareExports()
  await emptyTables(service, 'item', 'supplier', 'note', 'raw_note')
  for (const entity of ['note', 'raw_note'])
    await insertRecords(
      service,
      entity,
      [...guarded, ...kept].map((name) => ({ name })),
    )
})

const rowsOf = async (path: string) => readCells((await exportOf(service, path)).text).flat()

test("a text value that a spreadsheet would run gets a leading '", async () => {
  const [, ...rows] = await rowsOf('/note/export')
  assert.deepEqual(rows, [...guarded.map((text) => `'${text}`), ...kept])
})

test('a header that a spreadsheet would run gets it too', async () => {
  assert.equal((await rowsOf('/note/export'))[0], "'=1+1")
})

test('exportSettings.escapeFormulas: false turns it off, for the header too', async () => {
  assert.deepEqual(await rowsOf('/raw_note/export'), ['=1+1', ...guarded, ...kept])
})

test('an enum is guarded as text; numbers and json are not', async () => {
  await insertRecords(service, 'item', [
    { kind: '=sum', count: -5, serial: '-6', price: '-7.50', rate: '-8', extra: '-9' },
    { kind: '-bad', count: -5, serial: '-6', price: '-7.50', rate: '-8', extra: '-9' },
    { kind: 'plain', extra: '"=1"' },
  ])
  const body = { $select: ['kind', 'count', 'serial', 'price', 'rate', 'extra'] }
  assert.equal(
    (await exportOf(service, '/item/export', { body })).text,
    [
      'kind,count,serial,price,rate,extra',
      "'=sum,-5,-6,-7.50,-8,-9",
      "'-bad,-5,-6,-7.50,-8,-9",
      'plain,,,,,"""=1"""',
      '',
    ].join('\r\n'),
  )
})

test('a text at the end of a path is guarded too', async () => {
  const [supplier = 0] = await insertRecords(service, 'supplier', [{ name: '=1' }])
  await insertRecords(service, 'keyed', [{ name: 'a', supplier_id: supplier }])
  assert.deepEqual(await rowsOf('/keyed/export'), ['name', 'supplier.name', 'a', "'=1"])
})

test('ndjson and json are not guarded: their text is unchanged', async () => {
  const { text } = await exportOf(service, '/note/export?format=ndjson')
  const names = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line)['=1+1'])
  assert.deepEqual(names, [...guarded, ...kept])
})
