/** Where a picture was taken is overwritten in it, and nothing else. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { crc32 } from 'node:zlib'
import {
  locationOf,
  removeLocation,
  UnreadablePicture,
} from '../../../src/blobs/picture-location.ts'
import { exifHead, exifOf, jpegOf, pixels, pngWith, xmp } from '../../support/a-located-picture.ts'
import { pngOf } from '../../support/uploads.ts'

const webpOf = (exif: Buffer) => {
  const size = Buffer.alloc(4)
  size.writeUInt32LE(exif.length)
  const content = Buffer.concat([Buffer.from('WEBPEXIF', 'latin1'), size, exif, xmp])
  return Buffer.concat([Buffer.from('RIFF\0\0\0\0', 'latin1'), content])
}

/** What is different at which place. */
const count = (picture: Buffer, text: string | Buffer): number => {
  let found = 0
  for (let at = picture.indexOf(text); at >= 0; at = picture.indexOf(text, at + 1)) found++
  return found
}

for (const isLittle of [true, false])
  for (const [kind, make, times] of [
    ['JPEG', jpegOf, 2],
    ['PNG', pngWith, 1],
    ['WebP', webpOf, 1],
  ] as const)
    test(`of a ${kind}, ${isLittle ? 'little' : 'big'}-endian, the location goes and all else stays where it was`, () => {
      const exif = exifOf(isLittle)
      const picture = make(exif)
      const before = Buffer.from(picture)
      const degrees = exif.subarray(110, 134)
      assert.deepEqual([count(picture, degrees), count(picture, 'GPS')], [times, 3])
      assert.equal(removeLocation(picture), true)
      assert.equal(picture.length, before.length)
      assert.deepEqual([count(picture, degrees), count(picture, 'GPS')], [0, 0])
      assert.equal(count(picture, 'Camera'), times + 1)
      // Two entries are left, and what they lead to.
      const at = picture.indexOf(exif.subarray(0, 8))
      const left = Buffer.concat([exif.subarray(10, 22), exif.subarray(34, 50), Buffer.alloc(12)])
      assert.deepEqual(picture.subarray(at + 10, at + 50), left)
      const again = Buffer.from(picture)
      assert.equal(removeLocation(again), false)
      assert.deepEqual(again, picture)
    })

test('the sums of the chunks of a PNG are right', () => {
  const picture = pngWith(exifOf(true))
  removeLocation(picture)
  for (let at = 8; at + 12 <= picture.length; ) {
    const end = at + 8 + picture.readUInt32BE(at)
    assert.equal(picture.readUInt32BE(end), crc32(picture.subarray(at + 4, end)))
    at = end + 4
  }
})

test('a picture without a location stays as it is, and a damaged one is said to be', () => {
  for (const picture of [pngOf(), Buffer.concat([Buffer.from('ffd8', 'hex'), pixels])]) {
    const before = Buffer.from(picture)
    assert.equal(removeLocation(picture), false)
    assert.deepEqual(picture, before)
  }
  const beyond = exifOf(true)
  beyond.writeUInt32LE(5000, 92)
  const many = exifOf(false, 60_000)
  const endless = exifOf(true)
  endless.writeUInt32LE(0x7fffffff, 88)
  const parts = Buffer.concat(
    Array.from({ length: 200 }, () => Buffer.concat([exifHead, exifOf(true)])),
  )
  for (const exif of [beyond, many, endless, parts])
    assert.throws(() => removeLocation(jpegOf(exif)), UnreadablePicture)
})

test('which files a location is removed from, have none, or keep it', () => {
  const kinds = [
    'image/jpeg',
    'image/webp',
    'application/pdf',
    'image/gif',
    'image/heic',
    'video/mp4',
  ]
  assert.deepEqual(kinds.map(locationOf), ['removed', 'removed', 'none', 'none', 'stays', 'stays'])
})
