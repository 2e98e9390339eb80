/** Files that cannot be read, or not all of them: what is wrong, where, and what to do, in the words of spreadsheets. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { GivenDialect, SheetLimits } from '../../../src/import/read/sheet.ts'
import {
  aReader,
  type Content,
  faultsOf,
  textRow,
  type WorkbookParts,
  workbookOf,
  zipOf,
} from '../../support/import/a-file.ts'

const reader = await aReader()

type Row = readonly [
  what: string,
  content: Content | Promise<Content>,
  faults: readonly string[],
  given?: GivenDialect,
  limits?: Partial<SheetLimits>,
]

const hex = (text: string) => Buffer.from(text.replaceAll(' ', ''), 'hex')
const sheet = (rows: string, more: Partial<WorkbookParts> = {}) =>
  workbookOf({ ...more, sheets: { S: rows } })
const head = textRow('number', 'total', 'due')
const damaged = (end: string) => `The workbook is damaged: ${end}`

const whole: readonly Row[] = [
  ['nothing', '', ['The file is empty.']],
  ['blanks alone', ' \n,,\n', ['The file has no rows.']],
  [
    'an old workbook',
    hex('d0cf11e0a1b11ae1'),
    [
      'The file is a workbook of Excel 97 to 2003 (xls), or one with a password; save it as an Excel workbook (xlsx) without a password.',
    ],
  ],
  [
    'a PDF',
    '%PDF-1.7',
    ['The file is a PDF; import the table that it was made from.'],
    { format: 'csv' },
  ],
  ['Parquet', 'PAR1x', ['The file is Parquet; export it as CSV, NDJSON or XLSX.']],
  ['a compressed file', hex('1f8b0800'), ['The file is compressed (gzip); unpack it first.']],
  ['a picture', hex('89504e470d0a1a0a'), ['The file is a picture.']],
  [
    'a web page that is named like a workbook',
    '<html><table><tr><td>1',
    [
      'The file is a web page or XML, whatever it is named; open it in a spreadsheet and save it as CSV or XLSX.',
    ],
  ],
  [
    'text that is sent as a workbook',
    'number\n1\n',
    ['The file is no workbook (xlsx), whatever it is named.'],
    { format: 'xlsx' },
  ],
  [
    'bytes that are no text',
    hex('0001020300040506ff00'),
    ['The file is neither a text nor a workbook.'],
  ],
  [
    'a text that goes on as an archive',
    Buffer.concat([Buffer.from('number,total\nA,100\n'.repeat(4_000)), Buffer.from([0xff, 0])]),
    ['The file is damaged: from its byte 76002 on it is no text.'],
  ],
  [
    'bytes that are not the encoding that is given',
    hex('6e0af6'),
    ['The file is not utf-8; give the encoding that it has.'],
    { encoding: 'utf-8' },
  ],
  [
    'another archive',
    zipOf({ 'a.txt': 'x' }),
    [
      'The file is an archive, but no workbook of the kind xlsx, whatever it is named; save it as an Excel workbook (xlsx) or as CSV.',
    ],
  ],
  [
    'a table of OpenDocument',
    zipOf({ mimetype: 'application/vnd.oasis.opendocument.spreadsheet', 'content.xml': '<a/>' }),
    [
      'The file is an archive, but no workbook of the kind xlsx, whatever it is named; save it as an Excel workbook (xlsx) or as CSV.',
    ],
  ],
  [
    'a document of Word',
    zipOf({
      '_rels/.rels':
        '<Relationships><Relationship Id="1" Type="x/officeDocument" Target="word/document.xml"/></Relationships>',
    }),
    [
      'The file is an archive, but no workbook of the kind xlsx, whatever it is named; save it as an Excel workbook (xlsx) or as CSV.',
    ],
  ],
  [
    'an archive that is cut off',
    sheet(head).then((bytes) => bytes.subarray(0, 900)),
    [damaged('its end is missing.')],
  ],
  [
    'a part that is missing',
    workbookOf({
      sheets: { S: head },
      parts: {
        'xl/_rels/workbook.xml.rels':
          '<Relationships><Relationship Id="rId1" Type="x/worksheet" Target="worksheets/other.xml"/></Relationships>',
      },
    }),
    [damaged('it has no part xl/worksheets/other.xml.')],
  ],
  [
    'a sheet that ends early',
    sheet('', { parts: { 'xl/worksheets/sheet1.xml': `<worksheet><sheetData>${head}<row>` } }),
    [damaged('its XML ends before it is complete.')],
  ],
  [
    'a document type',
    sheet('', {
      parts: { 'xl/worksheets/sheet1.xml': '<!DOCTYPE a [<!ENTITY b "c">]><worksheet/>' },
    }),
    [damaged('its XML has a document type, which no workbook has.')],
  ],
  [
    'an entity that is not known',
    sheet(textRow('&b;')),
    [damaged('its XML has an entity that is not known.')],
  ],
  [
    'no sheet',
    sheet('', { parts: { 'xl/workbook.xml': '<workbook/>' } }),
    ['The workbook has no sheet.'],
  ],
  [
    'a sheet that it does not have',
    workbookOf({ sheets: { Orders: head } }),
    ['The workbook has no sheet "Order"; did you mean "Orders"? It has "Orders".'],
    { sheet: 'Order' },
  ],
  ['an empty sheet', sheet(''), ['The file has no rows.']],
  [
    'a sheet that unpacks to much more than its bytes',
    sheet(`${head}${' '.repeat(20_000_000)}`),
    ['The workbook unpacks to more than is read (20 MiB); save the sheet as CSV.'],
  ],
  [
    'sheets that unpack to more than is allowed',
    sheet(head),
    ['The workbook unpacks to more than is read (1 MiB); save the sheet as CSV.'],
    {},
    { unpacked: 1000 },
  ],
  [
    'too many different texts',
    sheet(head, { shared: '<si><t>some text</t></si>'.repeat(100) }),
    ['The workbook has too many different texts; save the sheet as CSV.'],
    {},
    { sharedTexts: 1000 },
  ],
  ['100,000 columns', 'a;'.repeat(100_000), ['1: The file has more than 1000 columns.']],
  [
    'a cell at the end of a workbook’s columns',
    sheet('<row><c r="XFD1"><v>1</v></c></row>'),
    ['1: The file has more than 1000 columns.'],
  ],
  [
    '100,000 names',
    `{${Array.from({ length: 100_000 }, (_, index) => `"a${index}":1`).join()}}`,
    ['1: The file has more than 1000 columns.'],
  ],
  [
    'a head that is no head',
    `${'x '.repeat(300)},b\n`,
    ['1: A head has more than 500 characters.'],
  ],
  [
    'a quote that is never closed',
    'number,total\n"A,1\nB,2\n',
    ['2: has a quote that is never closed (line 2)'],
  ],
  [
    'a quote that is never closed, in a large file',
    `number,total\n"A,1\n${'B,2\n'.repeat(20_000)}`,
    ['2: has a quote that is never closed, or a cell of more than 100 characters (line 2)'],
    { separator: ',' },
    { cell: 100, row: 10_000 },
  ],
  [
    'a cell that is too long',
    `number,total\n${'x'.repeat(101)},1\n`,
    ['2: has a cell or a row that is too long: a cell has at most 100 characters (line 2)'],
    {},
    { cell: 100 },
  ],
  [
    'a cell of a workbook that is too long',
    sheet(head + textRow('x'.repeat(101))),
    ['2: A cell or its row has more than 100 characters.'],
    {},
    { cell: 100 },
  ],
  [
    'text behind a quote',
    'number,total\n1,2\n"5" pipe",1\n',
    [
      '3: has text after the quote that ends a cell; double each quote that is part of a cell (line 3)',
    ],
  ],
  [
    'JSON that is cut off',
    '{"number":"a"}\n{"number":',
    ['2: The file ends in the middle of an object (line 2).'],
  ],
  [
    'JSON that is none',
    '{"number":"a"}\n{"number":b}\n',
    ['2: The file is not valid JSON (line 2).'],
  ],
  [
    'a JSON list of other things',
    '[{"number":"a"}, 7]',
    ['2: The file has something else than objects (line 1).'],
  ],
  ['an empty JSON list', '[]', ['The file has no records.'], { format: 'json' }],
  [
    'a JSON object that is too long',
    `{"number":"${'x'.repeat(2000)}"`,
    ['1: The file has an object of more than 1000 characters (line 1).'],
    {},
    { row: 1000 },
  ],
]

const parts: readonly Row[] = [
  [
    'rows of other lengths',
    'number;total\nA;1;2\nB\n',
    ['2: has 3 cells, but there are 2 heads; quote a cell that has a separator in it'],
  ],
  [
    'rows of a workbook of other lengths',
    sheet(head + textRow('A', '1', '01.01.2026', 'x')),
    [
      '(D) has no head above its values, such as that of row 2; heads that are merged name only their first column',
    ],
  ],
  [
    'a JSON name that the first records do not have',
    `${'{"number":"a"}\n'.repeat(1000)}{"nunber":"b"}`,
    ['1001: has the name "nunber", which the first records do not have'],
  ],
  [
    'heads that are merged, and unknown',
    'number,,Totl\nA,1,2\n',
    [
      '(B) has no head above its values, such as that of row 2; heads that are merged name only their first column',
      'Totl is not a column of order; did you mean "Total"?',
    ],
  ],
  [
    'a title above the heads',
    'Orders of 2025\nnumber,total\nA,1\n',
    [
      'Orders of 2025 is not a column of order',
      '2: has 2 cells, but there are 1 heads; quote a cell that has a separator in it',
      '3: has 2 cells, but there are 1 heads; quote a cell that has a separator in it',
    ],
  ],
  [
    'errors and formulas',
    sheet(`${head}<row><c t="e"><v>#N/A</v></c><c><f>A1*2</f></c></row>`),
    [
      '2 number has the error #N/A; correct it in the spreadsheet',
      '2 total is a formula without its value; open the file in a spreadsheet and save it there',
    ],
  ],
  [
    'days that are none',
    sheet(
      `${head}<row><c/><c s="1"><v>1</v></c><c s="1"><v>60</v></c></row><row><c/><c/><c><v>46027</v></c></row><row><c/><c/><c s="1"><v>-1</v></c></row>`,
      { formats: ['yyyy'] },
    ),
    [
      '2 total has "1900-01-01", which is no number; format the cell as a number',
      '2 due must be an existing day as YYYY-MM-DD, not "1900-02-29"',
      '3 due has the number 46027 and no day; format the column as a date in the spreadsheet',
      '4 due is a number outside of the days that a spreadsheet has',
    ],
  ],
  [
    'kinds that change in the middle',
    'number;total;due;pieces\n1;2,5;05.01.2026;3\n2;2.50;2026-01-05;x\n3;n/a;01/05/2026;2,5\n',
    [
      'total has values with a decimal comma, such as "2,5" (row 2), and with a decimal point, such as "2.50" (row 3); write all of them alike',
    ],
  ],
  [
    'values of other kinds',
    'number;total;due;pieces;is_urgent;state\n1;x;soon;2,5;perhaps;payd\n',
    [
      '2 total must be a number, not "x"',
      '2 due must be a day, such as 2026-01-31 or 31.01.2026, not "soon"',
      '2 pieces must be a whole number, not "2,5"',
      '2 is_urgent must be yes or no, true or false, 1 or 0, not "perhaps"',
      '2 state must be one of "new", "paid", "a", "A", not "payd"; did you mean "paid"?',
    ],
  ],
  [
    'values that their field refuses',
    'number;total;pieces\n"";1,234;2147483648\n',
    [
      '2 number is required and must not be empty',
      '2 pieces must be between -2147483648 and 2147483647',
    ],
  ],
  [
    'a year of two digits',
    'due\n05.01.26\n',
    ['2 due must have a year of four digits, not "05.01.26"'],
  ],
]

for (const [what, content, faults, given, limits] of [...whole, ...parts])
  test(`a file with ${what}`, async () => {
    assert.deepEqual(await faultsOf(reader, await content, given, limits), faults)
  })
