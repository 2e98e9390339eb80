/** Files as programs of many countries write them: what is found of their form, and what their cells have. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSharedTexts } from '../../../src/import/read/shared-texts.ts'
import type { Dialect, GivenDialect } from '../../../src/import/read/sheet.ts'
import {
  type Content,
  openContent,
  readGrid,
  textRow,
  workbookOf,
} from '../../support/import/a-file.ts'

/** By name: content, what is given, what is found of it, heads and rows; notes in a word each. */
type Row = readonly [
  what: string,
  content: Content | Promise<Content>,
  found: string,
  grid: readonly string[],
  given?: GivenDialect,
]

const utf16 = (text: string, isBig = false): Buffer => {
  const bytes = Buffer.from(text, 'utf16le')
  return isBig ? bytes.swap16() : bytes
}
const bytes = (...parts: readonly (string | readonly number[])[]): Buffer =>
  Buffer.concat(
    parts.map((one) => (typeof one === 'string' ? Buffer.from(one, 'latin1') : Buffer.from(one))),
  )

const foundOf = ({ format, encoding, separator, sheet, notes }: Dialect): string =>
  [
    format,
    encoding,
    separator && JSON.stringify(separator),
    sheet,
    ...notes.map(({ about }) => `(${about})`),
  ]
    .filter((one) => one !== undefined)
    .join(' ')

const cell = (place: string, inside: string, more = '') => `<c r="${place}"${more}>${inside}</c>`

const rows: readonly Row[] = [
  ['commas and CRLF', 'a,b\r\n1,"x,y"\r\n', 'csv utf-8 ","', ['a | b', '2: 1 | x,y']],
  ['semicolons', 'a;b\n1,5;2\n', 'csv utf-8 ";"', ['a | b', '2: 1,5 | 2']],
  [
    'tabs and CR alone',
    'a\tb\r1\t2\r',
    'csv utf-8 "\t"'.replace('\t', '\\t'),
    ['a | b', '2: 1 | 2'],
  ],
  ['bars', 'a|b|c\n1|2|3', 'csv utf-8 "|"', ['a | b | c', '2: 1 | 2 | 3']],
  ['one column', 'a\n1\n2\n', 'csv utf-8 ","', ['a', '2: 1', '3: 2']],
  [
    'a separator that is said',
    'sep=;\r\na;b\r\n1;2,3,4,5\r\n',
    'csv utf-8 ";"',
    ['a | b', '1(2): … '].slice(0, 1).concat('2(3): 1 | 2,3,4,5'),
  ],
  ['commas in heads of semicolons', 'a, x;b\n1;2\n', 'csv utf-8 ";"', ['a, x | b', '2: 1 | 2']],
  [
    'both alike: semicolons, said',
    'a;b,c\n1;2,3\n',
    'csv utf-8 ";" (separator)',
    ['a | b,c', '2: 1 | 2,3'],
  ],
  [
    'the separator that is given',
    'a;b,c\n1;2,3\n',
    'csv utf-8 ","',
    ['a;b | c', '2: 1;2 | 3'],
    { separator: ',' },
  ],
  [
    'quotes, doubled quotes, line breaks of all kinds, empty texts',
    'a,b\n"x ""y""","1\r\n2\n3\r4"\n"",\n5" pipe,z\n',
    'csv utf-8 ","',
    ['a | b', '2: x "y" | 1\r\n2\n3\r4', '4(7): 5" pipe | z'],
  ],
  [
    'an empty text beside another',
    'a,b\n"",x\n,x\n',
    'csv utf-8 ","',
    ['a | b', '2:  | x', '3: ∅ | x'],
  ],
  [
    'blank rows and columns, blanks alone',
    '\n;;;\na;b;;\n1;2;;\n ; ;\u00a0;\n;;;\n3;4;;\n;;;\n',
    'csv utf-8 ";"',
    ['a | b', '4: 1 | 2', '7: 3 | 4'],
  ],
  ['fewer cells than heads', 'a,b,c\n1\n', 'csv utf-8 ","', ['a | b | c', '2: 1']],
  [
    'more cells than heads',
    'a,b\n1,2,3\n4,5,,\n',
    'csv utf-8 ","',
    [
      'a | b',
      '2: has 3 cells, but there are 2 heads; quote a cell that has a separator in it',
      '3: 4 | 5',
    ],
  ],
  [
    'a value without a head',
    'a,,c\n1,,3\n1,2,3\n',
    'csv utf-8 ","',
    ['a | (B) | c', '2: 1 | ∅ | 3', '3: 1 | 2 | 3'],
  ],
  ['UTF-8 with a mark', '\uFEFFä,b\n1,2\n', 'csv utf-8 ","', ['ä | b', '2: 1 | 2']],
  [
    'UTF-16 LE with a mark',
    utf16('\uFEFFä\tb\n1\t☃\n'),
    'csv utf-16le "\\t"',
    ['ä | b', '2: 1 | ☃'],
  ],
  [
    'UTF-16 BE with a mark',
    utf16('\uFEFFä\tb\n1\t☃\n', true),
    'csv utf-16be "\\t"',
    ['ä | b', '2: 1 | ☃'],
  ],
  [
    'UTF-16 LE without one',
    utf16('name\tb\n1\t2\n'),
    'csv utf-16le "\\t" (encoding)',
    ['name | b', '2: 1 | 2'],
  ],
  [
    'UTF-16 BE without one',
    utf16('name\tb\n1\t2\n', true),
    'csv utf-16be "\\t" (encoding)',
    ['name | b', '2: 1 | 2'],
  ],
  [
    'Windows-1252',
    bytes('Stra', [0xdf], 'e;', [0x80], '\n', [0x8a], ';', [0x96], '\n'),
    'csv windows-1252 ";" (encoding)',
    ['Straße | €', '2: Š | –'],
  ],
  [
    'Windows-1250, in a project that has Croatian',
    bytes('a;b\n', [0xe8, 0xe6], ';', [0xfc, 0xdf], '\n'),
    'csv windows-1250 ";" (encoding)',
    ['a | b', '2: čć | üß'],
    { languages: ['de', 'hr-HR'] },
  ],
  [
    'Windows-1250, given',
    bytes('a;b\n', [0xe8, 0xe6], ';', [0x9e, 0xf0], '\n'),
    'csv windows-1250 ";"',
    ['a | b', '2: čć | žđ'],
    { encoding: 'windows-1250' },
  ],
  ['letters that come late', `a,b\n${'x,y\n'.repeat(100_000)}é,ł\n`, 'csv utf-8 ","', []],
  [
    'JSON lines',
    '{"a":1e21,"b":"x"}\n{"a":-1.5e-7,"b":"x"}\n{"a":12345678901234567890,"b":null}\n{"b":true,"a":{"n":0.10000000000000000001}}\n',
    'ndjson utf-8',
    [
      'a | b',
      '1: number:1000000000000000000000 | x',
      '2: number:-0.00000015 | x',
      '3: number:12345678901234567890 | ∅',
      '4: json:{"n":0.10000000000000000001} | boolean:true',
    ],
  ],
  [
    'a JSON list over several lines',
    '[\n  {\n    "a": "}\\"{\\\\",\n    "b": [1, "]"]\n  },\n  {"a": "y"}\n]\n',
    'json utf-8',
    ['a | b', '1(2): }"{\\ | json:[1,"]"]', '2(6): y | ∅'],
  ],
  ['a JSON name that comes late', `${'{"a":1}\n'.repeat(1000)}{"b":2}\n`, 'ndjson utf-8', []],
  [
    'a workbook as the service writes it',
    workbookOf({
      formats: ['dd.mm.yyyy hh:mm:ss'],
      sheets: {
        Orders: `${textRow('a', 'b')}<row><c t="inlineStr"><is><t xml:space="preserve"> x_x000D_&#10;&lt;_x005F_x0041_</t></is></c><c/><c/></row><row><c/><c s="1"><v>46027.604166666667</v></c></row>`,
      },
    }),
    'xlsx Orders',
    ['a | b', '2:  x\r\n<_x0041_', '3: ∅ | date:2026-01-05 14:30:00.000'],
  ],
  [
    'shared texts, rich texts without how they are pronounced, gaps, prefixes, single quotes',
    workbookOf({
      shared: `<si><t>a</t></si><si><r><t>ri</t></r><r><t>ch</t></r><rPh><t>no</t></rPh></si><x:si><x:t><![CDATA[<&>]]></x:t></x:si>`,
      sheets: {
        S: `<row r="3">${cell('B3', '<v>0</v>', ' t="s"')}<!-- > --></row><x:row r='7'><x:c r='B7' t='s'><x:v>1</x:v></x:c></x:row><row r="9">${cell('B9', '<v>2</v>', ' t="s"')}</row>`,
      },
    }),
    'xlsx S',
    [' | a', '7: ∅ | rich', '9: ∅ | <&>'],
  ],
  [
    'numbers, as a spreadsheet shows them',
    workbookOf({
      formats: ['00000', '0.0%', '#,##0.00 "EUR pcs"', '[Red]General', '[h]:mm'],
      sheets: {
        S: `${textRow('a', 'b', 'c', 'd', 'e', 'f', 'g')}<row><c s="1"><v>1205</v></c><c s="2"><v>0.195</v></c><c s="3"><v>0.30000000000000004</v></c><c><v>1.2E+15</v></c><c s="4"><v>-1.5E-3</v></c><c><v>12345678901234567</v></c><c s="5"><v>1.5</v></c></row>`,
      },
    }),
    'xlsx S',
    [
      'a | b | c | d | e | f | g',
      '2: 01205 | number:19.5% | number:0.3 | number:1200000000000000 | number:-0.0015 | number:12345678901234567 | date:1900-01-01 12:00:00.000',
    ],
  ],
  [
    'days of 1900, with the 29 February that never was, and times alone',
    workbookOf({
      formats: ['yyyy-mm-dd'],
      sheets: {
        S: `${textRow('a', 'b', 'c', 'd', 'e')}<row><c s="1"><v>1</v></c><c s="1"><v>59</v></c><c s="1"><v>60</v></c><c s="1"><v>61</v></c><c s="1"><v>0.5</v></c></row>`,
      },
    }),
    'xlsx S',
    [
      'a | b | c | d | e',
      '2: date:1900-01-01 | date:1900-02-28 | date:1900-02-29 | date:1900-03-01 | date:12:00:00.000',
    ],
  ],
  [
    'days since 1904, and those of ISO 8601',
    workbookOf({
      since1904: true,
      formats: ['m/d/yy'],
      sheets: {
        S: `${textRow('a', 'b')}<row><c s="1"><v>0</v></c><c t="d"><v>2026-01-05T14:30:00</v></c></row>`,
      },
    }),
    'xlsx S',
    ['a | b', '2: date:1904-01-01 | date:2026-01-05 14:30:00'],
  ],
  [
    'booleans, formulas with values, errors, formulas without one',
    workbookOf({
      sheets: {
        S: `${textRow('a', 'b', 'c', 'd', 'e')}<row><c t="b"><v>1</v></c><c><f>1+1</f><v>2</v></c><c t="str"><f>"x"</f><v>x</v></c><c t="e"><f>1/0</f><v>#DIV/0!</v></c><c><f>A1</f></c></row><row><c t="str"><f>""</f><v></v></c></row>`,
      },
    }),
    'xlsx S',
    [
      'a | b | c | d | e',
      '2: boolean:true | number:2 | x | error:has the error #DIV/0!; correct it in the spreadsheet | error:is a formula without its value; open the file in a spreadsheet and save it there',
    ],
  ],
  [
    'the first sheet that is seen',
    workbookOf({
      sheets: { '~Lists': textRow('x'), One: textRow('a') + textRow('1'), Two: textRow('b') },
    }),
    'xlsx One (sheet)',
    ['a', '2: 1'],
  ],
  [
    'the sheet that is given, in any case',
    workbookOf({ sheets: { One: textRow('a'), '~Two': textRow('b') + textRow('2') } }),
    'xlsx Two',
    ['b', '2: 2'],
    { sheet: 'two' },
  ],
  [
    'an export that goes on in another sheet',
    workbookOf({
      sheets: {
        Orders: textRow('a') + textRow('1'),
        'Orders 2': textRow('a') + textRow('2'),
        'Orders 3': textRow('other') + textRow('3'),
      },
    }),
    'xlsx Orders (sheet)',
    ['a', '2: 1', '2: 2'],
  ],
  [
    'a workbook that was sent as CSV',
    workbookOf({ sheets: { S: textRow('a') + textRow('1') } }),
    'xlsx S (format)',
    ['a', '2: 1'],
    { format: 'csv' },
  ],
]

for (const [what, content, found, grid, given] of rows)
  test(`a file with ${what}`, async () => {
    const sheet = await openContent(await content, given)
    assert.equal(foundOf(sheet.dialect), found)
    const read = await readGrid(sheet)
    if (grid.length > 0) assert.deepEqual(read, grid)
    // A file is read again from its first row.
    assert.deepEqual(await readGrid(sheet), read)
  })

test('so much is looked at before the columns are known, of a file of any width', async () => {
  const rowsOf = async (width: number) => {
    const row = Array.from({ length: width }, (_, at) => `c${at}`).join()
    const { sample } = await openContent(`${row}\n`.repeat(1_200))
    return sample.length
  }
  assert.deepEqual([await rowsOf(2), await rowsOf(500)], [1000, 200])
})

test('pieces of a file may end anywhere', async () => {
  const line = 'ä;"x ""y""\r\n2";€𝄞\r\n'
  const sheet = await openContent(`a;b;c\r\n${line.repeat(60_000)}`)
  const texts = new Set<string>()
  let count = 0
  for await (const rows of sheet.rows)
    for (const { cells, row, line } of rows) {
      count += 1
      texts.add(cells.map(({ text }) => text).join('|'))
      assert.deepEqual([row, line], [count + 1, 2 * count])
    }
  assert.deepEqual([count, [...texts]], [60_000, ['ä|x "y"\r\n2|€𝄞']])
})

test('shared texts are kept in pages, and may end anywhere in them', () => {
  const texts = createSharedTexts(8_000_000)
  const long = 'ä'.repeat(700_000)
  const all = ['', 'a', long, 'b€', long, '', 'c']
  for (const text of all) texts.add(text)
  assert.deepEqual(
    all.map((_, index) => texts.at(index)),
    all,
  )
  assert.deepEqual(
    [texts.at(all.length), texts.at(-1), texts.at(Number.NaN)],
    Array(3).fill(undefined),
  )
  assert.throws(() => texts.add('x'.repeat(6_000_000)), /save the sheet as CSV/)
})
