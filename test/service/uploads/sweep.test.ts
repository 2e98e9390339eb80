/** The sweeper beside those who upload and use uploads: nothing that is used goes, and what is not used goes as a whole. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { before, test } from 'node:test'
import {
  announceBlob,
  removeUpload,
  storeUpload,
  takeUploads,
} from '../../../src/blobs/blob-rows.ts'
import type { BlobStore } from '../../../src/blobs/blob-store.ts'
import { checkBlobs, sampleBlobs } from '../../../src/blobs/check-blobs.ts'
import { openFolderStore } from '../../../src/blobs/folder-store.ts'
import { sweepBlobs } from '../../../src/blobs/sweep-blobs.ts'
import { transaction } from '../../../src/database/transaction.ts'
import { sharedProject } from '../../support/a-project.ts'
import { keepBytes } from '../../support/files/keep-bytes.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const { database } = await sharedProject()
const { pool } = database
const folder = join(temporaryFolder(), 'files')
const blobs = openFolderStore({ folder, isOwn: true })
const references = [
  { table: 'docket.upload', column: 'sha256' },
  { table: 'public.test_use', column: 'sha256' },
]
const sweep = (store: BlobStore = blobs) =>
  sweepBlobs({ pool, blobs: store, keepDays: 30, references })

before(() => pool.query('CREATE TABLE public.test_use (sha256 text)'))

const userId = 2_100_000_000

/** Sends content as an upload, and returns its id and hash. */
const upload = async (content: string) => {
  const found = {
    sha256: createHash('sha256').update(content).digest('hex'),
    bytes: content.length,
    filename: 'a.txt',
    mimetype: 'text/plain',
    width: null,
    height: null,
    sha256WithoutLocation: null,
  }
  await announceBlob(pool, found)
  await keepBytes(blobs, content)
  const id = await storeUpload(pool, userId, found)
  assert.ok(id)
  return { id, sha256: found.sha256 }
}

/** Uses uploads in a transaction, and returns how many were there to be used. */
const use = (ids: readonly string[], user = userId) =>
  transaction(pool, async (connection) => {
    const taken = [...(await takeUploads(connection, user, ids)).values()]
    for (const { sha256 } of taken)
      await connection.query('INSERT INTO public.test_use VALUES ($1)', [sha256])
    return taken.length
  })

/** As if nothing had used the bytes for so long. */
const age = (hashes: readonly string[], time: string) =>
  pool.query(`UPDATE docket.blob SET unused_since = now() - $2::interval WHERE sha256 = ANY ($1)`, [
    hashes,
    time,
  ])

const rowOf = async (sha256: string) => {
  const { rows } = await pool.query<{ state: string }>(
    'SELECT state FROM docket.blob WHERE sha256 = $1',
    [sha256],
  )
  return [rows[0]?.state, await blobs.sizeOf(sha256)]
}

test('an upload is used once, by its user, while it is not too old', async () => {
  const { id, sha256 } = await upload('used once')
  const { id: old } = await upload('too old')
  await pool.query('UPDATE docket.upload SET expires_at = now() WHERE id = $1', [old])
  assert.equal(await use([id], userId + 1), 0)
  assert.equal(await use([id, old, 'up_none']), 1)
  assert.equal(await use([id]), 0)
  assert.equal(await removeUpload(pool, userId, id), false)
  await age([sha256], '1 year')
  await sweep()
  assert.deepEqual(await rowOf(sha256), ['stored', 9])
})

test('bytes that nothing uses go: those that no record has used within two hours, others after FILES_KEEP_DAYS', async () => {
  const [never, once] = [await upload('never used'), await upload('used and removed')]
  await use([once.id])
  await pool.query('DELETE FROM public.test_use WHERE sha256 = $1', [once.sha256])
  await removeUpload(pool, userId, never.id)
  await sweep()
  assert.deepEqual(await rowOf(never.sha256), ['stored', 10])
  await age([never.sha256, once.sha256], '61 minutes')
  await sweep()
  assert.deepEqual(await rowOf(never.sha256), [undefined, undefined])
  await age([once.sha256], '29 days')
  await sweep()
  assert.deepEqual(await rowOf(once.sha256), ['stored', 16])
  await age([once.sha256], '31 days')
  await sweep()
  assert.deepEqual(await rowOf(once.sha256), [undefined, undefined])
})

test('a process that ends between the steps leaves nothing that is not known, and no upload without its bytes', async () => {
  const { id, sha256 } = await upload('interrupted')
  await removeUpload(pool, userId, id)
  await age([sha256], '2 hours')
  const broken = (hasRemoved: boolean): BlobStore => ({
    ...blobs,
    remove: async (one) => {
      if (hasRemoved) await blobs.remove(one)
      throw new Error('The process ends.')
    },
  })
  await assert.rejects(sweep(broken(false)), /ends/)
  assert.deepEqual(await rowOf(sha256), ['deleting', 11])
  await assert.rejects(sweep(broken(true)), /ends/)
  assert.deepEqual(await rowOf(sha256), ['deleting', undefined])
  // The same bytes come again meanwhile.
  const again = await upload('interrupted')
  await sweep()
  assert.deepEqual(await rowOf(again.sha256), ['stored', 11])
  assert.equal(await use([again.id]), 1)
  // An upload whose process ends has announced its bytes.
  const lost = createHash('sha256').update('lost').digest('hex')
  await announceBlob(pool, { sha256: lost, bytes: 4 })
  await sweep()
  assert.deepEqual(await rowOf(lost), ['deleting', undefined])
  await age([lost], '61 minutes')
  const said = {
    filename: 'a',
    mimetype: 'a/b',
    width: null,
    height: null,
    sha256WithoutLocation: null,
  }
  const late = { sha256: lost, bytes: 4, ...said }
  assert.equal(await storeUpload(pool, userId, late), undefined)
  await sweep()
  assert.deepEqual(await rowOf(lost), [undefined, undefined])
})

test('fifty users of uploads and the sweeper at the same time: what is used is there', async () => {
  const uploads = await Promise.all(
    Array.from({ length: 50 }, (_, at) => upload(`content ${at % 10}`)),
  )
  const hashes = [...new Set(uploads.map(({ sha256 }) => sha256))]
  const others = await Promise.all(Array.from({ length: 10 }, (_, at) => upload(`unused ${at}`)))
  await age([...hashes, ...others.map(({ sha256 }) => sha256)], '1 year')
  const expired = [...others, ...uploads.slice(45)].map(({ id }) => id)
  await pool.query('UPDATE docket.upload SET expires_at = now() WHERE id = ANY ($1)', [expired])
  let isOver = false
  const sweeping = (async () => {
    while (!isOver) await sweep()
  })()
  const used = await Promise.all(uploads.map(({ id }) => use([id]))).finally(() => {
    isOver = true
  })
  await sweeping
  assert.equal(used.filter(Boolean).length, 45)
  await age(
    others.map(({ sha256 }) => sha256),
    '1 year',
  )
  await sweep()
  for (const sha256 of hashes) {
    const [state] = await rowOf(sha256)
    assert.equal(state, 'stored')
    assert.match(await text(await blobs.open(sha256)), /^content \d$/)
  }
  for (const { sha256 } of others) assert.deepEqual(await rowOf(sha256), [undefined, undefined])
})

test('the store is compared with the database: what is missing, damaged or unknown', async () => {
  const [missing, damaged, whole] = [
    await upload('missing'),
    await upload('to be damaged'),
    await upload('whole'),
  ]
  const extra = createHash('sha256').update('extra').digest('hex')
  const pathOf = (sha256: string) => join(folder, 'sha256', sha256.slice(0, 2), sha256.slice(2))
  await blobs.remove(missing.sha256)
  await writeFile(pathOf(damaged.sha256), 'damaged')
  const { sha256 } = await upload('extra')
  assert.equal(sha256, extra)
  await pool.query('DELETE FROM docket.upload WHERE sha256 = $1', [extra])
  await pool.query('DELETE FROM docket.blob WHERE sha256 = $1', [extra])
  let read = 0
  const target = { database: pool, blobs }
  const faults = await Array.fromAsync(
    checkBlobs(target, (bytes) => {
      read += bytes
    }),
  )
  const own = [missing.sha256, damaged.sha256, whole.sha256, extra]
  // Other files of the process have stored bytes elsewhere.
  const found = faults.filter((one) => own.includes(one.sha256))
  assert.deepEqual(
    found.map((one) => [one.sha256, one.fault]).sort(),
    [
      [missing.sha256, 'missing'],
      [damaged.sha256, 'damaged'],
      [extra, 'extra'],
    ].sort(),
  )
  assert.ok(read >= 'damaged'.length + 'whole'.length)
  const sample = await sampleBlobs(target, 1_000_000)
  const isWrong = (one: string) => sample.includes(one)
  assert.deepEqual(own.map(isWrong), [true, true, false, false])
})
