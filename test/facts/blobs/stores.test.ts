/** The stores of bytes by their SHA-256: a folder, and a bucket. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { openFolderStore } from '../../../src/blobs/folder-store.ts'
import { afterwards } from '../../support/afterwards.ts'
import { startBucket } from '../../support/files/a-bucket.ts'
import { keepBytes } from '../../support/files/keep-bytes.ts'
import { testBucket, testStore } from '../../support/files/store-facts.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const aStore = (isOwn = true) => {
  const folder = join(temporaryFolder(), 'files')
  const store = openFolderStore({ folder, isOwn })
  const pathOf = (sha256: string) => join(folder, 'sha256', sha256.slice(0, 2), sha256.slice(2))
  return { ...store, folder, write: (content: string) => keepBytes(store, content), pathOf }
}

testStore('folder', async () => aStore())
testBucket('bucket', startBucket)

test('only its owner may read it; what is stored again is whole again', async () => {
  const store = aStore()
  const sha256 = await store.write('secret')
  const path = store.pathOf(sha256)
  const modes = await Promise.all(
    [store.folder, join(path, '..'), path].map(async (one) => (await stat(one)).mode & 0o777),
  )
  assert.deepEqual(modes, [0o700, 0o700, 0o600])
  await writeFile(path, 'damaged')
  await store.write('secret')
  assert.equal(await text(await store.open(sha256)), 'secret')
})

test('a file that is not kept is gone when it is closed, and an hour after its process has ended', async () => {
  const store = aStore()
  const received = join(store.folder, 'received')
  const begin = async (content: string) => {
    const blob = await store.create()
    await blob.file.writeFile(content)
    return blob
  }
  await (await begin('not wanted')).close()
  assert.deepEqual(await readdir(received), [])
  const abandoned = await begin('cut')
  afterwards(() => abandoned.close())
  const hoursAgo = new Date(Date.now() - 2 * 3_600_000)
  await abandoned.file.utimes(hoursAgo, hoursAgo)
  const coming = await begin('coming')
  await store.removeAbandoned()
  assert.equal((await readdir(received)).length, 1)
  const sha256 = createHash('sha256').update('coming').digest('hex')
  assert.deepEqual((await Array.fromAsync(store.list())).flat(), [])
  await coming.keep(sha256).finally(() => coming.close())
  assert.deepEqual((await Array.fromAsync(store.list())).flat(), [{ sha256, bytes: 6 }])
  assert.deepEqual(await readdir(received), [])
})

test('a folder of FILES_URL that is not there is an error and is not created', async () => {
  const store = aStore(false)
  await assert.rejects(
    store.write('one'),
    /FILES_URL cannot be used: ENOENT.*Create the folder, or mount it/,
  )
  assert.match((await store.findFault()) ?? '', /ENOENT/)
  assert.deepEqual(await readdir(join(store.folder, '..')), [])
  await mkdir(store.folder)
  assert.equal(await store.findFault(), undefined)
  await store.write('one')
  await rm(store.folder, { recursive: true })
  await writeFile(store.folder, '')
  assert.match((await store.findFault()) ?? '', /is not a folder/)
})

test('a name that is no SHA-256 reaches no file', async () => {
  const store = aStore()
  for (const name of ['', '../../etc/passwd', 'A'.repeat(64), `${'a'.repeat(64)}/x`])
    await assert.rejects(store.open(name), /is not a SHA-256/)
})
