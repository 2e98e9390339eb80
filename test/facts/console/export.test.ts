/** Exports of the console: what it asks for, how it names the file, and the SHA-256 by which it checks it. */
import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { test } from 'node:test'
import {
  docketLine,
  type ExportRequest,
  fileNameOf,
  queryOf,
} from '../../../console/features/export/export-request.ts'
import { createSha256 } from '../../../console/features/export/sha256.ts'

const request: ExportRequest = {
  entity: 'request',
  name: 'Meldungen',
  criteria: {},
  format: 'csv',
  isForExcel: true,
  hasNames: false,
  language: 'de-DE',
  day: '2026-11-26',
}

test('CSV for Excel has semicolons where a comma is the mark of decimals', () => {
  const separators = { semicolon: ['de-DE', 'de-AT', 'hr', 'fr'], '': ['de-CH', 'en-GB', 'ja'] }
  for (const [separator, languages] of Object.entries(separators))
    for (const language of languages) {
      const wanted = { ...request, language }
      assert.equal(queryOf(wanted).separator ?? '', separator)
      const line = docketLine(wanted, 'http://x')
      assert.equal(line.includes(' --separator semicolon'), separator !== '')
      for (const other of [{ isForExcel: false }, { format: 'xlsx' as const }])
        assert.equal(queryOf({ ...wanted, ...other }).separator, undefined)
    }
})

test('a file is named by its entity and the day', () => {
  const names = {
    Meldungen: 'Meldungen',
    'Purchase orders': 'Purchase-orders',
    'Schlüssel/Übergabe: "neu"': 'Schlüssel-Übergabe-neu',
    注文: '注文',
    '../..': 'request',
  }
  for (const [name, file] of Object.entries(names))
    assert.equal(fileNameOf({ ...request, name }), `${file}-2026-11-26.csv`)
})

/** Adds the bytes in parts of a length, which may begin anywhere in memory. */
const digestOf = (bytes: Uint8Array, length: number): string => {
  const hash = createSha256()
  for (let at = 0; at < bytes.length; at += length) hash.add(bytes.subarray(at, at + length))
  return hash.end()
}

test('the SHA-256 is that of Node.js, for every length around the blocks in parts of every kind', () => {
  for (let length = 0; length <= 260; length += 1) {
    const bytes = randomBytes(length)
    const expected = createHash('sha256').update(bytes).digest('base64')
    for (const part of [1, 7, 63, 64, 65, 300]) assert.equal(digestOf(bytes, part), expected)
  }
  const many = randomBytes(3_000_001)
  assert.equal(digestOf(many, 65_537), createHash('sha256').update(many).digest('base64'))
})
