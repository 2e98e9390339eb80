/** What every store of bytes does, wherever it is: the same tests for a folder and for the buckets of several servers. */
import assert from 'node:assert/strict'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import type { BlobStore } from '../../../src/blobs/blob-store.ts'
import { openS3Store } from '../../../src/blobs/s3-store.ts'
import type { FilesBucket } from '../../../src/config/files-place.ts'
import { keepBytes } from './keep-bytes.ts'

/** So large that it is sent in several pieces, and no two of them are the same. */
const large = Array.from({ length: 400_000 }, (_, at) => at).join(' ')

/** Tests of a store that has nothing yet. */
export const testStore = (kind: string, open: () => Promise<BlobStore>) =>
  test(`in a ${kind}, bytes are read as a whole or in a range, listed in order, and gone when they are removed`, async () => {
    const store = await open()
    const write = (content: string) => keepBytes(store, content)
    assert.equal(await store.findFault(), undefined)
    const contents = ['one', 'two', large]
    const hashes = []
    for (const content of contents) hashes.push(await write(content))
    const [one = '', , ofLarge = ''] = hashes
    // What is there already is stored again.
    assert.equal(await write('one'), one)
    for (const [at, sha256] of hashes.entries()) {
      assert.equal(await text(await store.open(sha256)), contents[at])
      assert.equal(await store.sizeOf(sha256), contents[at]?.length)
    }
    assert.equal(await text(await store.open(one, { first: 1, last: 2 })), 'ne')
    const range = { first: 1_000_000, last: 1_999_999 }
    assert.equal(await text(await store.open(ofLarge, range)), large.slice(1_000_000, 2_000_000))
    const listed = (await Array.fromAsync(store.list())).flat()
    assert.deepEqual(
      listed,
      hashes
        .map((sha256, at) => ({ sha256, bytes: contents[at]?.length }))
        .sort((a, b) => (a.sha256 < b.sha256 ? -1 : 1)),
    )
    for (const sha256 of [one, one]) await store.remove(sha256)
    assert.equal(await store.sizeOf(one), undefined)
    await assert.rejects(store.open(one), { name: 'MissingBlob' })
  })

/** The same of a bucket, and what only buckets do. */
export const testBucket = (kind: string, open: () => Promise<FilesBucket>) => {
  testStore(kind, async () => openS3Store(await open()))
  test(`a ${kind} that is missing is a fault that says so`, async () => {
    const store = openS3Store({ ...(await open()), bucket: 'missing' })
    assert.match(
      (await store.findFault()) ?? '',
      /^s3:\/\/missing\/files\/: The specified bucket does not exist/,
    )
  })
}
