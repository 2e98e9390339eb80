/** What spreadsheets guess and refuse: the first characters of CSV, the names of sheets, the formats of days. */
import assert from 'node:assert/strict'
import { buffer } from 'node:stream/consumers'
import { test } from 'node:test'
import type { Batch } from '../../../src/database/copy/copy-out.ts'
import type { ExportFormat, SheetMeta } from '../../../src/export/export-format.ts'
import { csv } from '../../../src/export/formats/csv.ts'
import { xlsx } from '../../../src/export/formats/xlsx.ts'
import { readArchive, sheetNames } from '../../support/read-xlsx.ts'

type Given = Partial<SheetMeta> & { readonly headers?: readonly string[] }

const withoutRows = async function* (): AsyncGenerator<Batch> {}

/** The file of no rows. */
const fileOf = (format: ExportFormat, { headers = ['a'], ...given }: Given) =>
  buffer(
    format.encode(withoutRows(), {
      columns: headers.map((header) => ({ header, cell: 'date', digits: {}, width: 10 })),
      ...{ name: 'Item', escapesFormulas: true, hasByteOrderMark: false, timeZone: 'UTC' },
      ...{ separator: 'comma', locale: undefined },
      ...given,
    }),
  )

const firstLines: readonly (readonly [Given, string])[] = [
  // SYLK begins with ID, a ZIP archive with PK, DIF with TABLE.
  ...['ID', 'IDENT', 'ID number', 'PK', 'TABLE', '<b>', '{rtf', '%PDF'].map(
    (header) => [{ headers: [header, 'ID'] }, `"${header}",ID`] as const,
  ),
  ...['id', 'Id', 'A', 'Number'].map((header) => [{ headers: [header] }, header] as const),
  [{ headers: ['ID', 'a;b', 'c,d'], separator: 'semicolon' }, '"ID";"a;b";"c,d"'],
]
for (const [given, line] of firstLines)
  test(`a CSV file may begin with ${line}`, async () => {
    assert.equal((await fileOf(csv, given)).toString(), `${line}\r\n`)
  })

for (const [name, expected] of [
  ["'Quoted'", 'Quoted'],
  ["Rock 'n' roll", "Rock 'n' roll"],
  ['History', 'History 1'],
  ['history', 'history 1'],
  ['a/b:c*d?e[f]g\\h', 'a b c d e f g h'],
  ['a\tb', 'a b'],
  [`${'x'.repeat(26)}'s own`, 'x'.repeat(26)],
  [`${'x'.repeat(26)}🦊`, 'x'.repeat(26)],
  ["' '", 'Sheet'],
] as const)
  test(`the sheet of ${name} is called ${expected}`, async () => {
    assert.deepEqual(sheetNames(await readArchive(await fileOf(xlsx, { name }))), [expected])
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
