/** The CSV format, byte for byte; text that a spreadsheet would run as a formula; hostile text in every format. */
import assert from 'node:assert/strict'
import { beforeEach, describe, test } from 'node:test'
import type { SqlValue } from '../../../src/definitions/values/check-value.ts'
import { parseTimestamp } from '../../../src/definitions/values/timestamps.ts'
import { createOrder, sharedProject } from '../../support/a-project.ts'
import { emptyTables, insertRecords, shareExports } from '../../support/an-export-project.ts'
import { exportOf, readCells } from '../../support/export-request.ts'
import { assertRoundTrip, pieces } from '../../support/exports/hostile-texts.ts'

const service = await shareExports()
beforeEach(() =>
  emptyTables(service, 'item', 'supplier', 'note', 'raw_note', 'odd_header', 'keyed'),
)

const insertNames = (entity: string, names: readonly string[]) =>
  insertRecords(
    service,
    entity,
    names.map((name) => ({ name })),
  )
const cellsOf = async (path: string) => readCells((await exportOf(service, path)).text).flat()

const same = (name: string, ...values: string[]) =>
  values.map((value) => [name, value, value] as const)
const forms: readonly (readonly [name: string, value: SqlValue, text: string])[] = [
  // Null is an empty field, the empty string a quoted one.
  ['code', null, ''],
  ['is_new', null, ''],
  ['code', '', '""'],
  ...same('code', 'plain text', '  a  ', 'a;b\tc', 'Žižek 🦊 عربي'),
  ['code', 'a "b" c', '"a ""b"" c"'],
  ['code', '"""', '""""""""'],
  ['code', 'a,b', '"a,b"'],
  // Line ends inside quotes stay what they are.
  ['note', 'a\nb', '"a\nb"'],
  ['note', 'a\rb', '"a\rb"'],
  ['note', 'a\r\nb', '"a\r\nb"'],
  ['note', 'a\n', '"a\n"'],
  ['is_new', true, 'true'],
  ['is_new', false, 'false'],
  ['count', -2147483648, '-2147483648'],
  ...same('serial', '-9223372036854775808'),
  // Decimals are exact: zeros fill the scale, and without a scale they are as they were written.
  ['price', '0.1', '0.10'],
  ...same('price', '1234567890123456789012345678.91'),
  ...same('rate', '1.500', '0.00000000000000000001'),
  ...same('day', '2026-02-28', '0001-01-01'),
  // Times are ISO 8601 in UTC with milliseconds.
  ['moment', '2026-05-04 10:30:00.5+02', '2026-05-04T08:30:00.500Z'],
  ['moment', '2026-05-04T08:30:00Z', '2026-05-04T08:30:00.000Z'],
  ...same('moment', '2026-12-31T23:59:59.999Z', '0001-01-01T00:00:00.001Z'),
  // JSON is compact; its null differs from an absent value.
  ['extra', '{"b":1,"a":[1,"x"]}', '"{""b"":1,""a"":[1,""x""]}"'],
  ['extra', 'null', 'null'],
  ['extra', '"a"', '"""a"""'],
]
test('each value has its form', async () => {
  const rows = forms.map(([name, value]) => ({ [name]: value }))
  await insertRecords(service, 'item', rows)
  for (const [index, [name, value, text]] of forms.entries()) {
    const body = { $select: [name], $where: { id: index + 1 } }
    const { bytes } = await exportOf(service, '/item/export', { body })
    assert.equal(bytes.toString(), `${name}\r\n${text}\r\n`, `${name} ${value}`)
  }
})

test('a header row is always written, also without rows, and quoted like any field', async () => {
  const { text } = await exportOf(service, '/item/export', { body: { $select: ['id', 'code'] } })
  assert.equal(text, 'id,code\r\n')
  assert.equal((await exportOf(service, '/odd_header/export')).text, '"a,""b""\r\nc",""\r\n')
})

test('?bom=true writes one byte order mark at the very beginning; without it, or in other formats, there is none', async () => {
  await insertRecords(service, 'item', [{ code: 'a' }, { code: 'b' }])
  const body = { $select: ['code'] }
  const bytesOf = async (query: string) =>
    (await exportOf(service, `/item/export${query}`, { body })).bytes
  assert.deepEqual(await bytesOf('?bom=true'), Buffer.from('\uFEFFcode\r\na\r\nb\r\n'))
  for (const query of ['', '?bom=false'])
    assert.deepEqual(await bytesOf(query), Buffer.from('code\r\na\r\nb\r\n'))
  assert.deepEqual(await bytesOf('?bom=true&format=json'), await bytesOf('?format=json'))
  await emptyTables(service, 'item')
  assert.deepEqual(await bytesOf('?bom=true'), Buffer.from('\uFEFFcode\r\n'))
})

// The header and a row with text, decimals, a day and a moment, and a row of nulls and an empty text.
const standard = 'code,note,price,rate,serial,mail,day,moment'
const [plainRow, emptyRow] = ['a;b,"c,d",-1234.50,0.1,-7,1.5,2026-11-06', '"",,,,,,,']
const [german, stamp] = ['"a;b";c,d;-1234,50;0,1;-7;1.5', '2026-11-26T10:30:00.250Z']
const zoned = ' (UTC)'
const semicolons = standard.replaceAll(',', ';')
const dialects: readonly (readonly [query: string, rows: readonly string[]])[] = [
  ['', [standard, `${plainRow},${stamp}`, emptyRow]],
  ['dialect=standard&separator=comma', [standard, `${plainRow},${stamp}`, emptyRow]],
  ['separator=semicolon', [semicolons, `${german};2026-11-06;${stamp}`, '"";;;;;;;']],
  [
    'separator=semicolon&decimal=point',
    [semicolons, `"a;b";c,d;-1234.50;0.1;-7;1.5;2026-11-06;${stamp}`, '"";;;;;;;'],
  ],
  [
    'dialect=excel-de',
    [`\uFEFF${semicolons}${zoned}`, `${german};06.11.2026;26.11.2026 10:30:00,250`, '"";;;;;;;'],
  ],
  [
    'dialect=excel-en-us&bom=false&quoting=all',
    [
      `"${standard.replaceAll(',', '","')}${zoned}"`,
      '"a;b","c,d","-1234.50","0.1","-7","1.5","11/06/2026","11/26/2026 10:30:00.250"',
      emptyRow,
    ],
  ],
  [
    'separator=tab&dates=yyyy-mm-dd&decimal=comma',
    [
      `${standard.replaceAll(',', '\t')}${zoned}`,
      'a;b\tc,d\t-1234,50\t0,1\t-7\t1.5\t2026-11-06\t2026-11-26 10:30:00,250',
      '""\t\t\t\t\t\t\t',
    ],
  ],
  [
    'separator=pipe&dates=dd.mm.yyyy.',
    [
      `${standard.replaceAll(',', '|')}${zoned}`,
      'a;b|c,d|-1234.50|0.1|-7|1.5|06.11.2026.|26.11.2026. 10:30:00.250',
      '""|||||||',
    ],
  ],
]
test('a dialect decides what stands between fields, the marks of decimals, days, the quotes and the first bytes', async () => {
  const [price, moment] = ['-1234.5', '2026-11-26T10:30:00.25Z']
  await insertRecords(service, 'item', [
    {
      code: 'a;b',
      note: 'c,d',
      price,
      rate: '0.1',
      serial: '-7',
      mail: '1.5',
      day: '2026-11-06',
      moment,
    },
    { code: '' },
  ])
  const body = { $select: standard.split(',') }
  for (const [query, rows] of dialects) {
    const { text } = await exportOf(service, `/item/export?${query}`, { body })
    assert.equal(text, rows.map((row) => `${row}\r\n`).join(''), query)
  }
})

const encodings = [
  ['utf-8', 'Žižek 🦊 €'],
  ['utf-16', 'Žižek 🦊 €'],
  ['windows-1252', 'Žižek ÿ €'],
  ['windows-1250', 'Žižek Č €'],
] as const
test('an encoding writes the header and the rows, and is named by the answer', async () => {
  for (const [encoding, note] of encodings) {
    await emptyTables(service, 'item')
    await insertRecords(service, 'item', [{ note }, { note: 'a' }])
    const asked = { body: { $select: ['note'] } }
    const { bytes, headers } = await exportOf(service, `/item/export?encoding=${encoding}`, asked)
    assert.equal(headers['content-type'], `text/csv; charset=${encoding}`)
    const text = new TextDecoder(encoding, { fatal: true, ignoreBOM: true }).decode(bytes)
    const mark = encoding === 'utf-16' ? '\uFEFF' : ''
    assert.equal(text, `${mark}note\r\n${note}\r\na\r\n`)
  }
})

test('a character that an encoding lacks is an error before the first byte, which names it and its column', async () => {
  await insertRecords(service, 'item', [
    { code: 'é', note: 'a' },
    { extra: '{"a":"\u0081"}', note: 'Čevap' },
  ])
  const refusal = async (query: string, $select: readonly string[]) => {
    const { status, text } = await exportOf(service, `/item/export?${query}`, { body: { $select } })
    if (status === 200) return undefined
    const { code, detail } = JSON.parse(text)
    return `${status} ${code} ${detail}`
  }
  const said = (encoding: string, columns: string) =>
    `422 export.not-encodable The encoding ${encoding} lacks characters of ${columns}; ask for utf-8 or utf-16, or leave these columns out.`
  const all = ['code', 'note', 'extra', 'count']
  assert.equal(
    await refusal('encoding=windows-1252', all),
    said('windows-1252', 'note (Č), extra (\u0081)'),
  )
  assert.equal(await refusal('encoding=windows-1250', ['code', 'note']), undefined)
  assert.equal(await refusal('encoding=windows-1252', ['code']), undefined)
  assert.equal(await refusal('encoding=utf-16', all), undefined)
  assert.equal(
    await refusal('encoding=windows-1252&names=true', ['supplier.name', 'id']),
    undefined,
  )
})

// The hour from 2 to 3 on 25 October 2026 occurs twice in Zagreb; a time that is read takes the first.
const moments = [
  ['2026-07-01T12:00:00.000Z', '01.07.2026 14:00:00'],
  ['2026-10-25T00:30:00.000Z', '25.10.2026 02:30:00'],
  ['2026-10-25T01:00:00.000Z', '2026-10-25T01:00:00.000Z'],
  ['2026-10-25T01:59:59.999Z', '2026-10-25T01:59:59.999Z'],
  ['2026-10-25T02:00:00.001Z', '25.10.2026 03:00:00,001'],
  ['9999-12-31T23:30:00.000Z', '9999-12-31T23:30:00.000Z'],
  ['0001-01-01T00:00:00.000Z', '0001-01-01T00:00:00.000Z'],
  ['0001-01-04T00:00:00.000Z', '04.01.0001 01:22:00'],
] as const
test('local times are those of the time zone of the service, and each can be read as its moment again', async () => {
  const zagreb = await sharedProject()
  for (const [placed_at] of moments) await createOrder(zagreb, { placed_at, group: 'dialect' })
  const { text } = await exportOf(zagreb, '/order/export?dialect=excel-de&bom=false', {
    body: { $select: ['placed_at'], $where: { group: 'dialect' } },
  })
  const [header, ...written] = text.trimEnd().split('\r\n')
  assert.equal(header, 'placed_at (Europe/Zagreb)')
  assert.deepEqual(
    written,
    moments.map(([, local]) => local),
  )
  for (const [index, [moment]] of moments.entries()) {
    const read: string = (written[index] ?? '')
      .replace(/^(\d\d)\.(\d\d)\.(\d{4})/, '$3-$2-$1')
      .replace(',', '.')
    assert.equal(parseTimestamp(read, 'Europe/Zagreb'), moment)
  }
})

describe('text that a spreadsheet would run', () => {
  const guarded = [
    ...['=1', '=', "=cmd|' /C calc'!A0", '@a', '@SUM(A1)', '\ta', '\t=1', '\ra', '\r\n=1', '\n=1'],
    ...['\na', '\uFF1D1+1', '\uFF0B1', '\uFF0D1', '\uFF20SUM(A1)', '+', '-', '+SUM(A1)'],
    ...['-SUM(A1)', "-cmd|' /C calc'!A0", '+49 30 1234-5x', '+49 30 1234\n=1', '-1\n', '-1+1|cmd'],
    ...['--1', '+-1', '-A1', '- 5', '+1*1', '-1e5', '- deliver to gate 3', '+(49) 30 1234'],
    ...['+12 =1234', '-49 30 1234', '=🦊'],
  ]
  const kept = [
    ...['a=1', ' =1', "'=1", '"=1"', '1=1', '\uFF0A1', '\uFF41', 'x\uFF1D1', '(=1)', '-12.5'],
    ...['+12,5', '-1', '+1', '-1.234.567,89', '+49 30 1234-5', '+49 (30) 1234-5'],
    ...['+385-1-234/567', '', 'a', 'Z', '{', '~', 'ž'],
  ]

  // Text and what it is in the file: programs that divide lines at semicolons begin a cell there.
  const divided: readonly (readonly [text: string, written: string])[] = [
    ['x;=1+1;', "x;'=1+1;"],
    ['x;-1+cmd', "x;'-1+cmd"],
    ['a;@b;+c', "a;'@b;'+c"],
    ['x;"=1+1"', 'x;"\'=1+1"'],
    [';\uFF1D1', ";'\uFF1D1"],
    ['=1;=2', "'=1;'=2"],
    ['-5;=1', "'-5;'=1"],
    ['a;-12.5;b', 'a;-12.5;b'],
    ['a;+385 1 234', 'a;+385 1 234'],
    ['a; b', 'a; b'],
  ]

  test("gets a leading ' in CSV, also in the header and after a semicolon, unless exportSettings.escapeFormulas or the request says false", async () => {
    const given = divided.map(([text]) => text)
    await insertNames('note', given)
    const written = divided.map(([, text]) => text)
    assert.deepEqual(await cellsOf('/note/export'), ["'=1+1", ...written])
    assert.deepEqual(await cellsOf('/note/export?escapeFormulas=false'), ['=1+1', ...given])
    await emptyTables(service, 'note')
    for (const entity of ['note', 'raw_note']) await insertNames(entity, [...guarded, ...kept])
    const [header, ...names] = await cellsOf('/note/export')
    assert.equal(header, "'=1+1")
    assert.deepEqual(names, [...guarded.map((text) => `'${text}`), ...kept])
    assert.deepEqual(await cellsOf('/raw_note/export'), ['=1+1', ...guarded, ...kept])
    assert.deepEqual(await cellsOf('/raw_note/export?escapeFormulas=true'), [header, ...names])
    assert.deepEqual(await cellsOf('/note/export?escapeFormulas=false'), [
      ...['=1+1', ...guarded, ...kept],
    ])
    const { text } = await exportOf(service, '/note/export?format=ndjson')
    const lines = text.trimEnd().split('\n')
    assert.deepEqual(
      lines.map((line) => JSON.parse(line)['=1+1']),
      [...guarded, ...kept],
    )
  })

  test('may be that of an enum or at the end of a path; numbers and json are not guarded', async () => {
    await insertRecords(service, 'item', [
      { kind: '=sum', count: -5, serial: '-6', price: '-7.50', rate: '-8', extra: '-9' },
      { kind: '-bad', count: -5, serial: '-6', price: '-7.50', rate: '-8', extra: '-9' },
      { kind: 'plain', extra: '"=1"' },
    ])
    const body = { $select: ['kind', 'count', 'serial', 'price', 'rate', 'extra'] }
    const { text } = await exportOf(service, '/item/export', { body })
    const [, ...lines] = text.split('\r\n')
    assert.deepEqual(lines, [
      ...["'=sum,-5,-6,-7.50,-8,-9", "'-bad,-5,-6,-7.50,-8,-9", 'plain,,,,,"""=1"""', ''],
    ])
    const [supplier_id = 0] = await insertRecords(service, 'supplier', [{ name: '=1' }])
    await insertRecords(service, 'keyed', [{ name: 'a', supplier_id }])
    assert.deepEqual(await cellsOf('/keyed/export'), ['name', 'supplier.name', 'a', "'=1"])
  })
})

describe('hostile text', () => {
  // Mixed: long/exports.
  test('in every piece, alone and between others, is exact in csv, ndjson, json, xlsx and parquet', () =>
    assertRoundTrip(
      service,
      pieces.flatMap((piece) => [
        [piece, `a${piece}b`],
        [`${piece}${piece}`, null],
      ]),
    ))

  test('in cells of 1 MB is exact in csv, ndjson and json, next to small ones', async () => {
    const mb = 2 ** 20
    const large = ['"'.repeat(mb), 'é\r\n,"'.repeat(mb / 5), '🦊'.repeat(mb / 4), 'x'.repeat(mb)]
    const rows = large.flatMap((note) => [{ note, code: 'a' }, { code: 'b' }])
    await insertRecords(service, 'item', rows)
    const textOf = async (format: string) => {
      const asked = { body: { $select: ['note'] } }
      return (await exportOf(service, `/item/export?format=${format}`, asked)).text
    }
    const notes: { note: string | null }[] = JSON.parse(await textOf('json'))
    const lines = (await textOf('ndjson')).trimEnd().split('\n')
    const expected = large.flatMap((note) => [note, null])
    for (const read of [
      readCells(await textOf('csv'))
        .slice(1)
        .flat(),
      notes.map(({ note }) => note),
      lines.map((line) => JSON.parse(line).note),
    ])
      assert.deepEqual(read, expected)
  })

  test('may be a lone \\. in a single column, which is not the end of the copy', async () => {
    const names = ['a', '\\.', '\\', 'b', '\\..']
    await insertNames('note', names)
    assert.deepEqual((await cellsOf('/note/export')).slice(1), names)
  })
})
