/** Workbooks: how numbers, dates and text are stored, and what a workbook cannot contain. */
import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import type { SqlValue } from '../../../src/definitions/values/check-value.ts'
import { createOrder, sharedProject } from '../../support/a-project.ts'
import { emptyTables, insertRecords, shareExports } from '../../support/an-export-project.ts'
import { exportOf } from '../../support/export-request.ts'
import { readArchive, readXlsx, sheetNames, type XlsxCell } from '../../support/read-xlsx.ts'

const service = await shareExports()
beforeEach(() => emptyTables(service, 'item'))

const rowsOf = async (path: string, body: unknown = {}): Promise<XlsxCell[][]> => {
  const { status, bytes, text } = await exportOf(service, `${path}?format=xlsx`, { body })
  assert.equal(status, 200, text.slice(0, 500))
  return readXlsx(bytes)
}

const cellOf = async (name: string, value: SqlValue) => {
  await emptyTables(service, 'item')
  await insertRecords(service, 'item', [{ [name]: value }])
  return (await rowsOf('/item/export', { $select: [name] }))[1]?.[0]
}

const plain = { style: 0 }
const day = { kind: 'number', style: 1 } as const
const time = { kind: 'number', style: 2 } as const
const number = { kind: 'number', ...plain } as const
// `price` has two digits after its point, whatever the value.
const price = { kind: 'number', style: 6 } as const
const load = { kind: 'number', style: 7 } as const
const words = { kind: 'text', ...plain } as const

/** Texts that stay texts. */
const same = (name: string, ...all: string[]) =>
  all.map((value): [string, SqlValue, XlsxCell] => [name, value, { ...words, value }])

const cells: readonly [name: string, value: SqlValue, cell: XlsxCell][] = [
  ['count', -5, { ...number, value: '-5' }],
  ['serial', '999999999999999', { ...number, value: '999999999999999' }],
  ['serial', '-999999999999999', { ...number, value: '-999999999999999' }],
  ...same('serial', '1000000000000000', '9223372036854775807'),
  ['price', '97', { ...price, value: '97.00' }],
  ['price', '1234567890123.45', { ...price, value: '1234567890123.45' }],
  ['price', '-12345678901234.56', { ...words, value: '-12345678901234.56' }],
  ['rate', '0.1', { ...number, value: '0.1' }],
  ['rate', '0.1234567890123456', { ...words, value: '0.1234567890123456' }],
  // Of a limited number of digits: a number with its scale if all of them fit.
  ['load', '123456789012.345', { ...load, value: '123456789012.345' }],
  ['load', '-0.5', { ...load, value: '-0.500' }],
  ['share', '0.123456789012345', { ...words, value: '0.123456789012345' }],
  ['is_new', true, { kind: 'boolean', ...plain, value: '1' }],
  ['is_new', false, { kind: 'boolean', ...plain, value: '0' }],
  // Serials as Excel counts them: 1 March 1900 is day 61, 1 January 2000 day 36526.
  ['day', '1900-03-01', { ...day, value: '61' }],
  ['day', '2000-01-01', { ...day, value: '36526' }],
  ['day', '2026-11-21', { ...day, value: '46347' }],
  ['day', '9999-12-31', { ...day, value: '2958465' }],
  ['day', '1900-02-28', { ...words, value: '1900-02-28' }],
  // Exact to the second. Day 25569 is 1 January 1970.
  ['moment', '2000-01-01T12:00:00Z', { ...time, value: '36526.50000000000' }],
  ['moment', '1900-03-01T00:00:00Z', { ...time, value: '61.00000000000' }],
  ['moment', '1970-01-01T00:00:01Z', { ...time, value: '25569.00001157407' }],
  ['moment', '9999-12-31T23:59:59Z', { ...time, value: '2958465.99998842593' }],
  ['moment', '1899-12-31T23:59:59Z', { ...words, value: '1899-12-31 23:59:59.000' }],
  ...same('code', '', '00123', '1e5', ' a  b '),
  ...same('note', 'a\r\nb\rc\nd', '_x000D_ _x0041_ _x', '<b>&amp;</b>"\''),
  ...same('extra', '{"a":"<\\n>"}'),
]
test('each value is a number, a time, a boolean or a text, as exactly as a workbook can store it', async () => {
  const names = [...new Set(cells.map(([name]) => name))]
  await insertRecords(
    service,
    'item',
    cells.map(([name, value]) => ({ [name]: value })),
  )
  const [, ...rows] = await rowsOf('/item/export', { $select: names })
  for (const [index, [name, value, cell]] of cells.entries())
    assert.deepEqual(rows[index]?.[names.indexOf(name)], cell, `${name} ${value}`)
})

test('an absent value is an empty cell, and the next one stays in its column', async () => {
  await insertRecords(service, 'item', [{ code: 'a', kind: 'plain' }])
  const columns = ['code', 'note', 'count', 'price', 'is_new', 'day', 'moment', 'supplier', 'kind']
  const [, row = []] = await rowsOf('/item/export', { $select: columns })
  assert.deepEqual(
    row.map(({ kind, value }) => (kind === 'absent' ? null : value)),
    ['a', null, null, null, null, null, null, null, 'plain'],
  )
})

test('every text is a text cell, unchanged, and no cell contains a formula', async () => {
  const texts = ['=1+1', '@SUM(A1)', '+SUM(A1)', "-cmd|' /C calc'!A0", '\t=1', '\r=1']
  await emptyTables(service, 'note')
  await insertRecords(
    service,
    'note',
    texts.map((name) => ({ name })),
  )
  const rows = await rowsOf('/note/export')
  assert.deepEqual(rows.flat(), [
    { kind: 'text', style: 3, value: '=1+1' },
    ...texts.map((value) => ({ ...words, value })),
  ])
  const { bytes } = await exportOf(service, '/note/export?format=xlsx')
  assert.ok(![...(await readArchive(bytes)).values()].some((text) => /<f[ >]/.test(text)))
})

test('a text of 32,767 characters fits', async () => {
  const longest = '🦊'.repeat(16_383).padEnd(32_767, 'x')
  assert.equal((await cellOf('note', longest))?.value, longest)
})

test('a longer cell is a 422 that names the column before the first byte', async () => {
  for (const [name, value] of [
    ['note', 'x'.repeat(32_768)],
    // Excel counts UTF-16 code units, of which an emoji has two.
    ['note', '🦊'.repeat(16_384)],
    ['code', 'x'.repeat(32_768)],
    ['extra', JSON.stringify('x'.repeat(32_766))],
  ] as const) {
    await emptyTables(service, 'item')
    await insertRecords(service, 'item', [{ [name]: 'null' }, { [name]: value }])
    const { status, headers, text } = await exportOf(service, '/item/export?format=xlsx')
    assert.equal(status, 422)
    assert.equal(headers['content-type'], 'application/problem+json; charset=utf-8')
    const { code, detail } = JSON.parse(text)
    assert.equal(code, 'export.cell-too-long')
    assert.match(detail, new RegExp(`in ${name}\\.$`))
  }
})

test('a long text outside of the page or the condition causes no error', async () => {
  await insertRecords(service, 'item', [{ code: 'a' }, { code: 'b', note: 'x'.repeat(40_000) }])
  assert.equal((await exportOf(service, '/item/export?format=xlsx&limit=1')).status, 200)
  assert.equal((await exportOf(service, '/item/export?format=xlsx&limit=1&page=2')).status, 422)
  const body = { $where: { code: 'a' } }
  assert.equal((await exportOf(service, '/item/export?format=xlsx', { body })).status, 200)
})

test('a sheet has the name of the entity, a header, widths, a filter and the scale of numbers', async () => {
  await insertRecords(service, 'item', [{ code: 'a', price: '97' }, { code: 'b' }])
  const body = { $select: ['code', 'price', 'moment'] }
  const { bytes } = await exportOf(service, '/item/export?format=xlsx', { body })
  const parts = await readArchive(bytes)
  assert.deepEqual(sheetNames(parts), ['Item'])
  const sheet = parts.get('xl/worksheets/sheet1.xml') ?? ''
  assert.match(sheet, /<autoFilter ref="A1:C3"\/>/)
  assert.equal(sheet.match(/<col [^>]*customWidth="1"\/>/g)?.length, 3)
  const styles = parts.get('xl/styles.xml') ?? ''
  assert.match(styles, /<cellStyle name="Normal" xfId="0" builtinId="0"\/>/)
  const formats = [...styles.matchAll(/<numFmt numFmtId="(\d+)" formatCode="([^"]+)"\/>/g)]
  const forms = [...(/<cellXfs.*<\/cellXfs>/.exec(styles)?.[0] ?? '').matchAll(/numFmtId="(\d+)"/g)]
  const ofPrice = forms[price.style]?.[1]
  assert.equal(formats.find(([, id]) => id === ofPrice)?.[2], '#,##0.00')
})

test('times are in the time zone of the service, which their header names', async () => {
  const zoned = await sharedProject()
  for (const placed_at of [
    ...['2026-07-01T12:00:00Z', '9999-12-31T23:30:00Z', '1850-01-01T00:00:00Z'],
    '9999-12-31T22:59:59Z',
  ])
    await createOrder(zoned, { placed_at, group: 'zoned' })
  const { bytes } = await exportOf(zoned, '/order/export?format=xlsx', {
    body: { $select: ['placed_at'], $where: { group: 'zoned' } },
  })
  const [[header] = [], [cell] = [], ...others] = await readXlsx(bytes)
  assert.equal(header?.value, 'placed_at (Europe/Zagreb)')
  // Two hours ahead of UTC in summer: 14:00 is 14/24 of a day.
  assert.equal(Number(cell?.value).toFixed(9), (46204 + 14 / 24).toFixed(9))
  // Those that a workbook cannot store, too.
  assert.deepEqual(
    others.map(([other]) => [other?.kind, other?.value]),
    [
      ['text', '10000-01-01 00:30:00.000'],
      ['text', '1850-01-01 01:22:00.000'],
      ['number', '2958465.99998842593'],
    ],
  )
})
