/** What a cell becomes in a field of each type, however people write it; and what is wrong with it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readCell } from '../../../src/import/read/cell-value.ts'
import { type GivenColumn, mapHeads } from '../../../src/import/read/mapping.ts'
import type { Cell, CellKind, Dialect, SheetFormat } from '../../../src/import/read/sheet.ts'
import { aReader } from '../../support/import/a-file.ts'

const { project, entity } = await aReader()

type Given = Partial<GivenColumn> & { readonly format?: SheetFormat; readonly zone?: string }

const read = (field: string, cell: Cell, { format = 'csv', zone, ...given }: Given): unknown => {
  const dialect: Dialect = {
    format,
    encoding: 'utf-8',
    separator: undefined,
    decimal: undefined,
    dates: undefined,
    sheet: undefined,
    notes: [],
  }
  const head = zone === undefined ? field : `${field} (${zone})`
  const own = Object.keys(given).length > 0 ? { [head]: { field, ...given } } : {}
  const mapping = mapHeads(project, entity, { heads: [head], sample: [], dialect }, own)
  const [column] = mapping.columns
  assert.ok(column, JSON.stringify(mapping.issues))
  const result = readCell(column, cell)
  if ('fault' in result) return `! ${result.fault}`
  const end = result.note === undefined ? [] : [`(${result.note})`]
  if ('link' in result) return [`${result.link.path.path}=${result.link.text}`, ...end].join(' ')
  return end.length === 0 ? result.value : [result.value, ...end].join(' ')
}

type Row = readonly [text: string, value: unknown, given?: Given & { readonly kind?: CellKind }]

const ambiguous = (text: string) =>
  `! has "${text}", in which the mark may be before decimals or between thousands; give the decimal mark of the file`
const eitherDay = (text: string) =>
  `! has "${text}", in which the day or the month may be first; give the order of days of the file`
const noNumber = (text: string) => `! must be a number, not "${text}"`
const noTime = (text: string) =>
  `! must be a time, such as 2026-01-31 14:30 or 31.01.2026 14:30, not "${text}"`

const fields: Readonly<Record<string, readonly Row[]>> = {
  total: [
    ['1234.50', '1234.50'],
    ['1234,50', '1234.50'],
    ['1.234,50', '1234.50'],
    ['1,234.50', '1234.50'],
    ['1.234.567', '1234567'],
    ['12,34,567.8', '1234567.8'],
    ['1 234,50', '1234.50'],
    ['1\u00a0234,5', '1234.5'],
    ['1\u202f234.5', '1234.5'],
    ["1'234.50", '1234.50'],
    ['1’234’567', '1234567'],
    ['  12 ', '12'],
    ['.5', '0.5'],
    ['5,', '5'],
    ['0,125', '0.125'],
    ['1234,567', '1234.567'],
    ['-1,5', '-1.5'],
    ['−1,5', '-1.5'],
    ['+1.5', '1.5'],
    ['1.234,50-', '-1234.50'],
    ['(12,50)', '-12.50'],
    ['1,234', ambiguous('1,234')],
    ['1.234', ambiguous('1.234')],
    ['1,234', '1.234', { decimal: ',' }],
    ['1,234', '1234', { decimal: '.' }],
    ['1.234', '1.234', { kind: 'number' }],
    ['1.234', '1.234', { format: 'ndjson' }],
    [
      '1,5',
      '! has "1,5", but numbers of this column have a point before their decimals',
      { decimal: '.' },
    ],
    [
      '1.5',
      '! has "1.5", but numbers of this column have a comma before their decimals',
      { decimal: ',' },
    ],
    [
      '1.5',
      '! has "1.5", but numbers of this column have a comma before their decimals',
      { decimal: ',', format: 'xlsx' },
    ],
    ['12,50 EUR', '12.50'],
    ['€ 1.234,50', '1234.50'],
    ['1.234,50 €', '1234.50'],
    ['-€5', noNumber('-€5')],
    ['$5.00', noNumber('$5.00')],
    ['1,2,3', noNumber('1,2,3')],
    ['1.2.3', noNumber('1.2.3')],
    ['12a', noNumber('12a')],
    ['--5', noNumber('--5')],
    ['-5-', noNumber('-5-')],
    ['٣', noNumber('٣')],
    [
      '1.2E+15',
      '! has "1.2E+15": the spreadsheet has shortened the number, and its digits are lost; show all digits there and save again',
    ],
    [
      '1,23E+08',
      '! has "1,23E+08": the spreadsheet has shortened the number, and its digits are lost; show all digits there and save again',
    ],
    ['####', noNumber('####')],
    ['19%', '0.19 (percent)'],
    ['19,5 %', '0.195 (percent)'],
    ['19.5%', '0.195 (percent)', { kind: 'number', format: 'xlsx' }],
    [
      '2026-01-05',
      '! has "2026-01-05", which is no number; format the cell as a number',
      { kind: 'date', format: 'xlsx' },
    ],
    [
      'true',
      '! has "true", which is no number; format the cell as a number',
      { kind: 'boolean', format: 'xlsx' },
    ],
    ['', null],
    ['n/a', null, { values: { 'n/a': '' } }],
    ['', null, { kind: 'empty' }],
    [
      'has the error #N/A; correct it in the spreadsheet',
      '! has the error #N/A; correct it in the spreadsheet',
      { kind: 'error' },
    ],
  ],
  rate: [
    ['19%', '19'],
    ['19,5 %', '19.5'],
    ['0.19', '0.19'],
  ],
  pieces: [
    ['12', 12],
    ['1.200', ambiguous('1.200')],
    ['1.200', 1200, { decimal: ',' }],
    ['12,0', 12],
    ['12.5', '! must be a whole number, not "12.5"'],
    ['007', 7],
    ['-0', -0],
  ],
  serial: [
    ['9223372036854775807', '9223372036854775807'],
    ['9.223.372.036.854.775.807', '9223372036854775807'],
    ['123456789012345678', '123456789012345678', { kind: 'number', format: 'xlsx' }],
  ],
  is_urgent: [
    ...['true', 'TRUE', 'yes', 'Ja', 'WAHR', 'da', 'VRAI', 'oui', '1', ' y '].map(
      (text): Row => [text, true],
    ),
    ...['false', 'No', 'nein', 'FALSCH', 'ne', 'faux', '0'].map((text): Row => [text, false]),
    ['1', true, { kind: 'number', format: 'xlsx' }],
    ['true', true, { kind: 'boolean', format: 'xlsx' }],
    ['offen', false, { values: { Offen: 'false' } }],
    ['maybe', '! must be yes or no, true or false, 1 or 0, not "maybe"'],
    ['2', '! must be yes or no, true or false, 1 or 0, not "2"'],
    ['', null],
  ],
  due: [
    ['2026-01-05', '2026-01-05'],
    ['2026-02-30', '2026-02-30'],
    ['2026/1/5', '2026-01-05'],
    ['20260105', '2026-01-05'],
    ['05.01.2026', '2026-01-05'],
    ['5. 1. 2026.', '2026-01-05'],
    ['31/12/2026', '2026-12-31'],
    ['12/31/2026', '2026-12-31'],
    ['05/01/2026', eitherDay('05/01/2026')],
    ['05/01/2026', '2026-01-05', { dates: 'DMY' }],
    ['05/01/2026', '2026-05-01', { dates: 'MDY' }],
    ['2026-01-05', '2026-01-05', { dates: 'MDY' }],
    ['31/12/2026', '! has "31/12/2026", and there is no such day', { dates: 'MDY' }],
    [
      '05.01.2026',
      '! has "05.01.2026", but days of this column are written as MDY',
      { dates: 'MDY' },
    ],
    ['05.01.26', '! must have a year of four digits, not "05.01.26"'],
    ['30.02.2026', '! has "30.02.2026", and there is no such day'],
    ['1900-02-29', '1900-02-29', { kind: 'date', format: 'xlsx' }],
    ['05.01.2026 00:00', '2026-01-05'],
    ['2026-01-05 00:00:00.000', '2026-01-05', { kind: 'date', format: 'xlsx' }],
    ['05.01.2026 14:30', '! has "05.01.2026 14:30", but the field takes a day without a time'],
    [
      '14:30:00.000',
      '! must be a day, such as 2026-01-31 or 31.01.2026, not "14:30:00.000"',
      { kind: 'date', format: 'xlsx' },
    ],
    [
      '46027',
      '! has the number 46027 and no day; format the column as a date in the spreadsheet',
      { kind: 'number', format: 'xlsx' },
    ],
    ['5 January 2026', '! must be a day, such as 2026-01-31 or 31.01.2026, not "5 January 2026"'],
    ['', null],
  ],
  placed_at: [
    ['2026-01-05T10:00:00.000Z', '2026-01-05T10:00:00.000Z'],
    ['2026-01-05 10:00+02:00', '2026-01-05 10:00+02:00'],
    ['2026-01-05 10:00', '2026-01-05T09:00:00.000Z'],
    ['05.07.2026 10:00:07,25', '2026-07-05T08:00:07.250Z'],
    ['26.11.2026. 11:30:00,250', '2026-11-26T10:30:00.250Z'],
    ['05.01.2026, 10:00 Uhr', '2026-01-05T09:00:00.000Z'],
    ['1/31/2026 2:30 PM', '2026-01-31T13:30:00.000Z'],
    ['1/31/2026 12:00 a.m.', '2026-01-30T23:00:00.000Z'],
    ['2026-01-05', '2026-01-04T23:00:00.000Z', { kind: 'date', format: 'xlsx' }],
    [
      '2026-01-05 10:00:00.000',
      '2026-01-05T10:00:00.000Z',
      { kind: 'date', format: 'xlsx', zone: 'UTC' },
    ],
    ['2026-01-05 10:00', '2026-01-05T15:00:00.000Z', { zone: 'America/New_York' }],
    ['29.03.2026 02:30', '! has "29.03.2026 02:30", a time that clocks in Europe/Zagreb skip'],
    ['05.01.2026 23:59:59', '2026-01-05T22:59:59.000Z'],
    ...[
      ...['05.01.2026 24:00', '05.01.2026 10:60', '05.01.2026 10:00:60'],
      ...['1/31/2026 0:30 PM', '1/31/2026 13:30 PM'],
    ].map((text): Row => [text, noTime(text)]),
  ],
  state: [
    ['paid', 'paid'],
    ['Paid in full', 'paid'],
    ['BEZAHLT', 'paid'],
    [' neu ', 'new (blanks)'],
    ['a', 'a'],
    ['A', 'A'],
    ['done', 'paid', { values: { Done: 'paid' } }],
    // In one language the name of one value, in another that of another one.
    ['Offen', '! must be one of "new", "paid", "a", "A", not "Offen"'],
    ['payd', '! must be one of "new", "paid", "a", "A", not "payd"; did you mean "paid"?'],
    ['', null],
  ],
  _step: [
    ['done', 'done'],
    ['Fertig', 'done'],
    ['x', '! must be one of "draft", "done", not "x"'],
  ],
  article: [
    [' S1\u00a0', 'S1 (blanks)'],
    ['0012', '0012'],
    ['1205', '1205 (number as text)', { kind: 'number', format: 'xlsx' }],
    ['4,00638E+12', '4,00638E+12 (shortened)'],
    ['   ', null],
    ['true', 'true', { kind: 'boolean', format: 'xlsx' }],
    ["'=1+1", '=1+1'],
    ["'-12", "'-12"],
    ["'+49 30 1", "'+49 30 1"],
    ["x;'=1;'-2", "x;=1;'-2"],
    ["'=1", "'=1", { format: 'xlsx' }],
    ['', ''],
    ['', null, { kind: 'empty' }],
    ['[1]', '! has JSON where a text is wanted', { kind: 'json', format: 'ndjson' }],
  ],
  remark: [
    [' two\r\nlines ', ' two\r\nlines '],
    [' ', ' '],
    ["'@home", '@home'],
  ],
  extra: [
    ['{"a": [1]}', { a: [1] }],
    ['12', 12],
    ['12', '12', { format: 'ndjson' }],
    ['[1]', [1], { kind: 'json', format: 'json' }],
    ['{a}', '! must be JSON, not "{a}"'],
    ['', null],
  ],
  'supplier.code': [
    ['S1', 'code=S1'],
    [' S1', 'code=S1 (blanks)'],
    ['7', 'code=7 (number as text)', { kind: 'number', format: 'xlsx' }],
    ['', null],
  ],
  'supplier.account.iban': [['DE1', 'account.iban=DE1']],
  supplier_id: [
    ['7', 'id=7'],
    ['7.0', 'id=7', { kind: 'number' }],
    ['S1', noNumber('S1')],
  ],
  id: [['3', 3]],
}

for (const [field, rows] of Object.entries(fields))
  test(`cells of ${field}`, () => {
    for (const [text, value, { kind = 'text', ...given } = {}] of rows) {
      const what = `${kind} ${JSON.stringify(text)} ${JSON.stringify(given)}`
      assert.deepEqual([what, read(field, { text, kind }, given)], [what, value])
    }
  })
