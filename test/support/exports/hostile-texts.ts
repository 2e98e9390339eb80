/** Text that breaks careless writers, exported in every format and read back. */
import assert from 'node:assert/strict'
import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { textIssue } from '../../../src/definitions/values/check-text.ts'
import { takeBackGuard } from '../../../src/export/formats/formula-guard.ts'
import { emptyTables, insertRecords } from '../an-export-project.ts'
import { exportOf, readCells } from '../export-request.ts'
import { queryParquet } from '../read-parquet.ts'
import { readXlsx } from '../read-xlsx.ts'
import type { TestService } from '../service.ts'

export const pieces = [
  ...['"', '""', "'", ',', ';', '\t', '\n', '\r', '\r\n', '\\', '\\.', '\\N', '\\n', ' ', '\u00a0'],
  ...[
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
  ],
  ...['漢字', '<', '>', '&', '&amp;', ']]>', '<![CDATA[', '_x000D_', '_x005F_', '{"a":1}', '=1+1'],
  ...['NULL', 'null', '%s', '$1', 'a'],
]
const columns = ['code', 'note'] as const

/** Whether a text looks as if an apostrophe was put into it for spreadsheets. */
const isGuarded = (text: string): boolean => takeBackGuard(text) !== text

type Texts = readonly (string | null)[][]

/** Every format of the texts, each read by an independent or a strict reader. */
const readBack = async (
  service: TestService,
): Promise<Readonly<Record<string, (string | null)[][]>>> => {
  const body = { $select: columns }
  const ask = (query: string) => exportOf(service, `/item/export${query}`, { body })
  const [csv, ndjson, json, xlsx, parquet] = await Promise.all(
    ['', '?format=ndjson', '?format=json', '?format=xlsx', '?format=parquet'].map(ask),
  )
  const valuesOf = (one: Record<string, string | null>) => columns.map((name) => one[name] ?? null)
  const withoutGuard = (rows: (string | null)[][]) =>
    rows.map((row) => row.map((text) => text && takeBackGuard(text)))
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

/** Exports the texts of two columns in every format, and asserts that each reader returns them. */
export const assertRoundTrip = async (service: TestService, texts: Texts): Promise<void> => {
  await emptyTables(service, 'item')
  await insertRecords(
    service,
    'item',
    texts.map(([code = null, note = null]) => ({ code, note })),
  )
  for (const [reader, rows] of Object.entries(await readBack(service))) {
    // csv-parse does not distinguish an absent value from an empty one.
    const expected =
      reader === 'csv-parse' ? texts.map((row) => row.map((text) => text ?? '')) : texts
    assert.deepEqual(rows, expected, reader)
  }
}

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
  // In CSV, a guarded text looks like one that has the apostrophe itself.
  .filter((value) => !isGuarded(value))
/** Rows of two texts that may be absent. */
export const texts = fc.array(fc.tuple(fc.option(text), fc.option(text)), {
  minLength: 1,
  maxLength: 30,
})
