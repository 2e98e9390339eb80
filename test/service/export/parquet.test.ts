/** Parquet, read by another engine: the types of columns, and every value to its last digit. */
import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { DuckDBDateValue, DuckDBDecimalValue, DuckDBTimestampTZValue } from '@duckdb/node-api'
import type { SqlValue } from '../../../src/definitions/values/check-value.ts'
import { emptyTables, insertRecords, shareExports } from '../../support/an-export-project.ts'
import { exportOf } from '../../support/export-request.ts'
import { readParquet } from '../../support/read-parquet.ts'

const service = await shareExports()
beforeEach(() => emptyTables(service, 'item', 'repeated'))

const exported = async (body: object = {}, path = '/item/export') => {
  const { status, bytes, text } = await exportOf(service, `${path}?format=parquet`, { body })
  assert.equal(status, 200, text.slice(0, 500))
  return bytes
}

const types = {
  id: 'INTEGER',
  code: 'VARCHAR',
  note: 'VARCHAR',
  mail: 'VARCHAR',
  site: 'VARCHAR',
  kind: 'VARCHAR',
  count: 'INTEGER',
  serial: 'BIGINT',
  fee: 'DECIMAL(9,2)',
  weight: 'DECIMAL(18,6)',
  total: 'DECIMAL(38,10)',
  pieces: 'DECIMAL(20,0)',
  // No reader accepts more than 38 digits, and no Parquet type can represent every number.
  huge: 'VARCHAR',
  rate: 'VARCHAR',
  load: 'DECIMAL(15,3)',
  share: 'DECIMAL(15,15)',
  is_new: 'BOOLEAN',
  day: 'DATE',
  moment: 'TIMESTAMP WITH TIME ZONE',
  extra: 'JSON',
  parent: 'INTEGER',
}
const $select = Object.keys(types)
const noValues = Object.fromEntries($select.map((name) => [name, null]))

test('every column has the type of its field, also without records', async () => {
  const { columns, rows, groups } = await readParquet(await exported({ $select }))
  assert.deepEqual(Object.fromEntries(columns), types)
  assert.deepEqual([rows, groups], [[], []])
})

const fee = (value: bigint) => new DuckDBDecimalValue(value, 9, 2)
const weight = (value: bigint) => new DuckDBDecimalValue(value, 18, 6)
const total = (value: bigint) => new DuckDBDecimalValue(value, 38, 10)
const pieces = (value: bigint) => new DuckDBDecimalValue(value, 20, 0)
const day = (days: number) => new DuckDBDateValue(days)
const moment = (milliseconds: number) => new DuckDBTimestampTZValue(BigInt(milliseconds) * 1000n)

const same = (name: string, ...all: SqlValue[]) =>
  all.map((value): [string, SqlValue, unknown] => [name, value, value])
const values: readonly [name: string, value: SqlValue, read: unknown][] = [
  ...same('code', '', '\\N', '=1+1', '🦊'),
  ...same('note', 'a\tb\nc\r\nd\\n\\\\e"f\'g', 'ž'.repeat(100_000)),
  ...same('kind', 'plain'),
  ...same('count', -2147483648, 2147483647),
  ['serial', '9007199254740993', 9007199254740993n],
  ['serial', '-9223372036854775808', -9223372036854775808n],
  ['serial', '9223372036854775807', 9223372036854775807n],
  ['fee', '-9999999.99', fee(-999999999n)],
  ['fee', '0.01', fee(1n)],
  ['fee', '-0.01', fee(-1n)],
  ['fee', '5', fee(500n)],
  ['weight', '999999999999.999999', weight(999999999999999999n)],
  ['weight', '-0.000001', weight(-1n)],
  ['total', `${'9'.repeat(28)}.${'9'.repeat(10)}`, total(10n ** 38n - 1n)],
  ['total', `-${'9'.repeat(28)}.${'9'.repeat(10)}`, total(1n - 10n ** 38n)],
  ['total', '0', total(0n)],
  ['pieces', '99999999999999999999', pieces(99999999999999999999n)],
  ...same('huge', `${'9'.repeat(38)}.1`),
  ...same('rate', '0.10', `1${'0'.repeat(300)}.000000000000000000001`),
  ...same('is_new', true, false),
  ['day', '0001-01-01', day(-719_162)],
  ['day', '1969-12-31', day(-1)],
  ['day', '2024-02-29', day(19_782)],
  ['day', '9999-12-31', day(2_932_896)],
  ['moment', '0001-01-01T00:00:00Z', moment(-62_135_596_800_000)],
  ['moment', '1969-12-31T23:59:59.999Z', moment(-1)],
  ['moment', '2026-05-04T08:30:00.123+02:00', moment(Date.UTC(2026, 4, 4, 6, 30, 0, 123))],
  ['moment', '9999-12-31T23:59:59.999Z', moment(253_402_300_799_999)],
  ...same('extra', '{"b": 12345678901234567890.10,"a":"\\n\\u0041"}', 'null'),
]
test('every value is exact, and null next to it', async () => {
  await insertRecords(
    service,
    'item',
    values.map(([name, value]) => ({ [name]: value })),
  )
  const { rows } = await readParquet(await exported({ $select }))
  for (const [index, [name, value, read]] of values.entries()) {
    const expected = { ...noValues, id: index + 1, [name]: read }
    const row = rows[index]?.map((cell, column) => [$select[column], cell])
    assert.deepEqual(row && Object.fromEntries(row), expected, `${name} ${value}`)
  }
})

test('a record of nulls only is exported', async () => {
  await insertRecords(service, 'item', [{ code: null }])
  const { rows } = await readParquet(await exported({ $select: ['code', 'count', 'total', 'day'] }))
  assert.deepEqual(rows, [[null, null, null, null]])
})

test('system fields and links have types too', async () => {
  const [id] = await insertRecords(service, 'item', [{ code: 'a', fee: '1.5' }])
  await insertRecords(service, 'item', [{ parent_id: id ?? 0 }])
  const names = ['_is_deleted', '_created_at', 'parent', 'parent.fee', 'parent.parent.fee']
  const { columns, rows } = await readParquet(await exported({ $select: names }))
  assert.deepEqual(
    columns.map(([, type]) => type),
    ['BOOLEAN', 'TIMESTAMP WITH TIME ZONE', 'INTEGER', 'DECIMAL(9,2)', 'DECIMAL(9,2)'],
  )
  assert.deepEqual(rows[1]?.toSpliced(1, 1), [false, 1, fee(150n), null])
})

test('headers that differ only in case, or not at all, get a number', async () => {
  await insertRecords(service, 'repeated', [{ name: 'a', other: 'b', third: 'c' }])
  const { columns, rows } = await readParquet(await exported({}, '/repeated/export'))
  assert.deepEqual(
    columns.map(([name]) => name),
    ['Label', 'label 2', 'a "b".c\nd'],
  )
  assert.deepEqual(rows, [['a', 'b', 'c']])
})
