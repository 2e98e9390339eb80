/** The SHA-256 of the console is that of Node.js, however the bytes are divided. */
import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { createSha256 } from '../../../console/features/export/run/sha256.ts'

/** Adds the bytes in parts of a length, which may begin anywhere in memory. */
const digestOf = (bytes: Uint8Array, length: number): string => {
  const hash = createSha256()
  for (let at = 0; at < bytes.length; at += length) hash.add(bytes.subarray(at, at + length))
  return hash.end()
}

test('every length around the blocks, in parts of every kind', () => {
  for (let length = 0; length <= 260; length += 1) {
    const bytes = randomBytes(length)
    const expected = createHash('sha256').update(bytes).digest('base64')
    for (const part of [1, 7, 63, 64, 65, 300]) assert.equal(digestOf(bytes, part), expected)
  }
})

test('many bytes', () => {
  const bytes = randomBytes(3_000_001)
  assert.equal(digestOf(bytes, 65_537), createHash('sha256').update(bytes).digest('base64'))
})
