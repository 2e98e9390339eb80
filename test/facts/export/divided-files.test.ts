/** Where a workbook begins another sheet and a Parquet file another row group. */
import assert from 'node:assert/strict'
import { buffer } from 'node:stream/consumers'
import { test } from 'node:test'
import type { Batch } from '../../../src/database/copy/copy-out.ts'
import type { ExportFormat, SheetMeta } from '../../../src/export/export-format.ts'
import { parquet } from '../../../src/export/formats/parquet.ts'
import { xlsx } from '../../../src/export/formats/xlsx.ts'
import { queryParquet, readParquet } from '../../support/read-parquet.ts'
import { readArchive, sheetNames } from '../../support/read-xlsx.ts'

const meta: SheetMeta = {
  columns: [{ header: 'id', cell: 'integer', digits: {}, width: 10 }],
  name: 'Item',
  escapesFormulas: true,
  hasByteOrderMark: false,
  separator: 'comma',
  locale: undefined,
  timeZone: 'UTC',
}

/** The file of a format whose batches have so many rows and such text. */
const encoded = (format: ExportFormat, batches: readonly (readonly [number, string])[]) => {
  const all = batches.map(([rows, text]): Batch => ({ rows, bytes: Buffer.from(text) }))
  const given = async function* () {
    yield* all
  }
  return buffer(format.encode(given(), meta))
}

// Of Excel; the header is one of them.
const mostRows = 1_048_576

test('a sheet is filled to its last row, and only the next row begins another one, with a header', async () => {
  const full: readonly [number, string][] = [
    [mostRows - 2, '<row>many</row>'],
    [1, '<row>last</row>'],
  ]
  const one = await readArchive(await encoded(xlsx, full))
  assert.deepEqual(sheetNames(one), ['Item'])
  assert.match(one.get('xl/worksheets/sheet1.xml') ?? '', /last<\/row>.*ref="A1:A1048576"/)
  const two = await readArchive(await encoded(xlsx, [...full, [1, '<row>next</row>']]))
  assert.deepEqual(sheetNames(two), ['Item', 'Item 2'])
  assert.match(two.get('xl/worksheets/sheet1.xml') ?? '', /last<\/row>.*ref="A1:A1048576"/)
  assert.match(two.get('xl/worksheets/sheet2.xml') ?? '', />id<.*next<\/row>.*ref="A1:A2"/)
})

const lines = (from: number, to: number): readonly [number, string] => [
  to - from + 1,
  Array.from({ length: to - from + 1 }, (_, index) => `${from + index}\n`).join(''),
]

test('a row group ends after 65,536 rows, and its bounds are those of its rows', async () => {
  const last = 70_000
  const bytes = await encoded(parquet, [
    lines(1, 65_535),
    lines(65_536, 65_536),
    lines(65_537, last),
  ])
  const { groups } = await readParquet(bytes)
  assert.deepEqual(groups, [65_536, last - 65_536])
  assert.deepEqual(await queryParquet(bytes, 'SELECT count(*), sum(id) FROM file'), [
    [BigInt(last), BigInt((last * (last + 1)) / 2)],
  ])
  assert.deepEqual(
    await queryParquet(bytes, 'SELECT stats_min_value, stats_max_value FROM metadata() ORDER BY 1'),
    [
      ['1', '65536'],
      ['65537', String(last)],
    ],
  )
})

test('a row group ends after 16 MiB too', async () => {
  const number = '1'.padStart(16_777_215, '0')
  const bytes = await encoded(parquet, [
    [1, `${number}\n`],
    [1, '2\n'],
    [1, '3\n'],
  ])
  assert.deepEqual((await readParquet(bytes)).groups, [1, 2])
})
