/** The files of exports: where one begins another sheet or row group, and what spreadsheets guess and refuse. */
import assert from 'node:assert/strict'
import { buffer } from 'node:stream/consumers'
import { test } from 'node:test'
import type { Batch } from '../../../src/database/copy.ts'
import {
  chosenDialect,
  csvDialects,
  standardCsv,
} from '../../../src/definitions/values/rules/csv-dialects.ts'
import type { ExportFormat, SheetMeta } from '../../../src/export/export-format.ts'
import { csv } from '../../../src/export/formats/csv.ts'
import { parquet } from '../../../src/export/formats/parquet.ts'
import { xlsx } from '../../../src/export/formats/xlsx.ts'
import { queryParquet, readParquet } from '../../support/read-parquet.ts'
import { readArchive, sheetNames } from '../../support/read-xlsx.ts'

type Given = Partial<SheetMeta> & { readonly headers?: readonly string[] }

/** The file of a format whose batches have so many rows and such text. */
const encoded = (
  format: ExportFormat,
  batches: readonly (readonly [number, string])[],
  { headers = ['id'], ...given }: Given = {},
) => {
  const all = batches.map(([rows, text]): Batch => ({ rows, bytes: Buffer.from(text) }))
  const cell = batches.length > 0 ? 'integer' : 'date'
  const rows = async function* () {
    yield* all
  }
  return buffer(
    format.encode(rows(), {
      columns: headers.map((header) => ({ header, cell, digits: {}, width: 10 })),
      name: 'Item',
      escapesFormulas: true,
      timeZone: 'UTC',
      csv: standardCsv,
      locale: undefined,
      ...given,
    }),
  )
}

/** The file of no rows. */
const fileOf = (format: ExportFormat, given: Given) => encoded(format, [], given)

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

const firstLines: readonly (readonly [Given, string])[] = [
  // SYLK begins with ID, a ZIP archive with PK, DIF with TABLE.
  ...['ID', 'IDENT', 'ID number', 'PK', 'TABLE', '<b>', '{rtf', '%PDF'].map(
    (header) => [{ headers: [header, 'ID'] }, `"${header}",ID`] as const,
  ),
  ...['id', 'Id', 'A', 'Number'].map((header) => [{ headers: [header] }, header] as const),
  [{ headers: ['ID', 'a;b', 'c,d'], csv: csvDialects['excel-de'] }, '\uFEFF"ID";"a;b";"c,d"'],
  [
    { headers: ['a', 'b\tc'], csv: chosenDialect({ separator: 'tab', quoting: 'all' }) },
    '"a"\t"b\tc"',
  ],
  [{ headers: ['a|b', 'c\td'], csv: chosenDialect({ separator: 'pipe' }) }, '"a|b"|c\td'],
]
test('the first header of a CSV file is quoted where a program would take the file for another', async () => {
  for (const [given, line] of firstLines)
    assert.equal((await fileOf(csv, given)).toString(), `${line}\r\n`)
})

const sheets: readonly (readonly [name: string, sheet: string])[] = [
  ["'Quoted'", 'Quoted'],
  ["Rock 'n' roll", "Rock 'n' roll"],
  ['History', 'History 1'],
  ['history', 'history 1'],
  ['a/b:c*d?e[f]g\\h', 'a b c d e f g h'],
  ['a\tb', 'a b'],
  [`${'x'.repeat(26)}'s own`, 'x'.repeat(26)],
  [`${'x'.repeat(26)}🦊`, 'x'.repeat(26)],
  ["' '", 'Sheet'],
]
test('the name of a sheet has only what spreadsheets allow', async () => {
  for (const [name, sheet] of sheets)
    assert.deepEqual(sheetNames(await readArchive(await fileOf(xlsx, { name }))), [sheet])
})

for (const [locale, code] of [
  [undefined, 'yyyy-mm-dd'],
  ['de-DE', 'dd.mm.yyyy'],
  ['en-US', 'mm/dd/yyyy'],
  ['en-GB', 'dd/mm/yyyy'],
  ['sv', 'yyyy-mm-dd'],
  ['hr', 'dd. mm. yyyy.'],
  ['ja', 'yyyy/mm/dd'],
  ['bg', 'dd.mm.yyyy "г".'],
  // The calendar and the digits of a workbook are always those of Excel.
  ['ar-SA', 'dd/mm/yyyy'],
  ['th', 'dd/mm/yyyy'],
] as const)
  test(`in ${locale ?? 'no language'} a workbook shows days as ${code}`, async () => {
    const styles = (await readArchive(await fileOf(xlsx, { locale }))).get('xl/styles.xml') ?? ''
    const codes = [...styles.matchAll(/formatCode="([^"]+)"/g)].map(([, text = '']) =>
      text.replaceAll('&quot;', '"'),
    )
    assert.deepEqual(codes.slice(0, 4), [code, `${code} hh:mm:ss`, '#,##0', '#,##0.0'])
  })
