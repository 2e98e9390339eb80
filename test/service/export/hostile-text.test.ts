/** Text that breaks careless writers is exported in every format and read back unchanged. */
import assert from 'node:assert/strict'
import { before, beforeEach, test } from 'node:test'
import fc from 'fast-check'
import { invalidPaths } from '../../support/a-project.ts'
import { emptyTables, insertRecords, shareExports } from '../../support/an-export-project.ts'
import { exportOf, readCells } from '../../support/export-request.ts'
import { assertRoundTrip, pieces, texts } from '../../support/exports/hostile-texts.ts'
import type { TestService } from '../../support/service.ts'

let service: TestService
before(async () => {
  service = await shareExports()
})
beforeEach(() => emptyTables(service, 'item', 'note'))

test('every hostile piece, alone and between others, is exact in csv, ndjson, json, xlsx and parquet', () =>
  assertRoundTrip(
    service,
    pieces.flatMap((piece) => [
      [piece, `a${piece}b`],
      [`${piece}${piece}`, null],
    ]),
  ))

test('mixed texts are exact in csv, ndjson, json, xlsx and parquet', () =>
  fc.assert(
    fc.asyncProperty(texts, (rows) => assertRoundTrip(service, rows)),
    { numRuns: 3, seed: 7 },
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

test('NUL, control characters, half a surrogate pair and U+FFFF are rejected on write, in text and in json', async () => {
  for (const bad of ['a\0b', 'a\u0001b', 'a\ud800b', 'a\uffffb'])
    for (const [body, path] of [
      [{ note: bad }, 'note'],
      [{ extra: { a: [bad] } }, 'extra'],
    ] as const)
      assert.deepEqual(invalidPaths(await service.ask('POST', '/item', { body }), 400), [path])
})
