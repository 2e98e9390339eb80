/** Text that breaks careless writers is exported in every format and read back unchanged. */
import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { textIssue } from '../../../src/definitions/values/check-text.ts'
import { emptyTable, insertRecords, startExportProject } from '../../support/an-export-project.ts'
import { exportOf, readCells } from '../../support/export-request.ts'
import { queryParquet } from '../../support/read-parquet.ts'
import { readXlsx } from '../../support/read-xlsx.ts'
import type { TestService } from '../../support/service.ts'

const pieces = [
  '"',
  '""',
  "'",
  ',',
  ';',
  '\t',
  '\n',
  '\r',
  '\r\n',
  '\\',
  '\\.',
  '\\N',
  '\\n',
  ' ',
  '\u00a0',
  '\ufeff',
  '\u2028',
  '\u0085',
  '\u200b',
  '\u202e',
  'e\u0301',
  'שלום',
  'مرحبا',
  '👩‍👩‍👧‍👦',
  '🦊',
  '漢字',
  '<',
  '>',
  '&',
  '&amp;',
  ']]>',
  '<![CDATA[',
  '_x000D_',
  '_x005F_',
  '{"a":1}',
  '=1+1',
  'NULL',
  'null',
  '%s',
  '$1',
  'a',
]
const columns = ['code', 'note'] as const

let service: TestService
before(async () => {
  // One caller requests every format at the same time, and gets half of the slots.
  service = await startExportProject({ EXPORTS_AT_ONCE: '10' })
})
after(() => service.stop())
beforeEach(() => emptyTable(service, 'item'))

const isGuarded = (text: string | null): text is string =>
  text !== null && /^'[=@+\t\r\n\uFF0B\uFF0D\uFF1D\uFF20-]/.test(text)

type Texts = readonly (string | null)[][]

/** Every format of the texts, each read by an independent or a strict reader. */
const readBack = async (): Promise<Readonly<Record<string, (string | null)[][]>>> => {
  const body = { $select: columns }
  const ask = (query: string) => exportOf(service, `/item/export${query}`, { body })
  const [csv, ndjson, json, xlsx, parquet] = await Promise.all(
    ['', '?format=ndjson', '?format=json', '?format=xlsx', '?format=parquet'].map(ask),
  )
  const valuesOf = (one: Record<string, string | null>) => columns.map((name) => one[name] ?? null)
  const withoutGuard = (rows: (string | null)[][]) =>
    rows.map((row) => row.map((text) => (isGuarded(text) ? text.slice(1) : text)))
  return {
    'strict reader': withoutGuard(readCells(csv?.text ?? '').slice(1)),
    'csv-parse': withoutGuard(parse(csv?.bytes ?? '', { from: 2, record_delimiter: '\r\n' })),
    ndjson: (ndjson?.text ?? '')
      .split('\n')
      .slice(0, -1)
      .map((line) => valuesOf(JSON.parse(line))),
    json: JSON.parse(json?.text ?? '').map(valuesOf),
    xlsx: (await readXlsx(xlsx?.bytes ?? Buffer.alloc(0)))
      .slice(1)
      .map((row) => row.map(({ kind, value }) => (kind === 'absent' ? null : value))),
    parquet: (
      await queryParquet(parquet?.bytes ?? Buffer.alloc(0), 'SELECT hex(code), hex(note) FROM file')
    ).map((row) =>
      row.map((hex) => (hex === null ? null : Buffer.from(`${hex}`, 'hex').toString())),
    ),
  }
}

const assertRoundTrip = async (texts: Texts): Promise<void> => {
  await emptyTable(service, 'item')
  await insertRecords(
    service,
    'item',
    texts.map(([code = null, note = null]) => ({ code, note })),
  )
  for (const [reader, rows] of Object.entries(await readBack())) {
    // csv-parse does not distinguish an absent value from an empty one.
    const expected =
      reader === 'csv-parse' ? texts.map((row) => row.map((text) => text ?? '')) : texts
    assert.deepEqual(rows, expected, reader)
  }
}

test('every hostile piece, alone and between others, is exact in csv, ndjson, json, xlsx and parquet', () =>
  assertRoundTrip(
    pieces.flatMap((piece) => [
      [piece, `a${piece}b`],
      [`${piece}${piece}`, null],
    ]),
  ))

const text = fc
  .oneof(
    {
      weight: 4,
      arbitrary: fc.array(fc.constantFrom(...pieces), { maxLength: 8 }).map((all) => all.join('')),
    },
    { weight: 2, arbitrary: fc.string({ unit: 'grapheme', maxLength: 30 }) },
    { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 30 }) },
  )
  .filter((value) => textIssue(value) === undefined)
  // In CSV, a guarded text looks like one that begins with an apostrophe itself.
  .filter((value) => !isGuarded(value))
const table = fc.array(fc.tuple(fc.option(text), fc.option(text)), { minLength: 1, maxLength: 30 })

test('any text is exact in csv, ndjson, json, xlsx and parquet', () =>
  fc.assert(
    fc.asyncProperty(table, (rows) => assertRoundTrip(rows)),
    { numRuns: 40 },
  ))

test('cells of 1 MB are exact in csv, ndjson and json, beside small ones', async () => {
  const large = [
    '"'.repeat(2 ** 20),
    'é\r\n,"'.repeat(200_000),
    '🦊'.repeat(2 ** 18),
    'x'.repeat(2 ** 20),
  ]
  await insertRecords(
    service,
    'item',
    large.flatMap((note) => [{ note, code: 'a' }, { code: 'b' }]),
  )
  const expected = large.flatMap((note) => [note, null])
  const body = { $select: ['note'] }
  const csv = await exportOf(service, '/item/export', { body })
  assert.deepEqual(readCells(csv.text).slice(1).flat(), expected)
  const json = await exportOf(service, '/item/export?format=json', { body })
  assert.deepEqual(
    JSON.parse(json.text).map(({ note }: { note: string | null }) => note),
    expected,
  )
  const ndjson = await exportOf(service, '/item/export?format=ndjson', { body })
  assert.deepEqual(
    ndjson.text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).note),
    expected,
  )
})

test('a lone \\. in a single column is text, and not the end of the copy', async () => {
  await emptyTable(service, 'note')
  const names = ['a', '\\.', '\\', 'b', '\\..']
  await insertRecords(
    service,
    'note',
    names.map((name) => ({ name })),
  )
  assert.deepEqual(
    readCells((await exportOf(service, '/note/export')).text)
      .flat()
      .slice(1),
    names,
  )
})

for (const [name, bad] of [
  ['NUL', 'a\0b'],
  ['a control character', 'a\u0001b'],
  ['half a surrogate pair', 'a\ud800b'],
  ['U+FFFF', 'a\uffffb'],
] as const)
  test(`${name} is rejected on write, in text and in json`, async () => {
    for (const [body, path] of [
      [{ note: bad }, 'note'],
      [{ extra: { a: [bad] } }, 'extra'],
    ] as const) {
      const reply = await service.ask('POST', '/item', { body })
      assert.equal(reply.status, 400)
      const { errors } = reply.json() as { errors: { path: string }[] }
      assert.deepEqual(
        errors.map((error) => error.path),
        [path],
      )
    }
  })
