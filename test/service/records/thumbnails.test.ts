/** Thumbnails of pictures: what they are, what has none and why, and that each is made once. Who gets them is a row of the doors. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import sharp from 'sharp'
import {
  createThumbnailMaker,
  type ThumbnailMaker,
} from '../../../src/blobs/thumbnails/thumbnail-maker.ts'
import { createThumbnails, removeOldThumbnails } from '../../../src/blobs/thumbnails/thumbnails.ts'
import { createAs, sharedProject } from '../../support/a-project.ts'
import { afterwards } from '../../support/afterwards.ts'
import { download, pngOf, uploadFile } from '../../support/uploads.ts'

const service = await sharedProject()
const { pool } = service.database

const picture = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: '#3b53c4' } })

/** A record with a file, and how the file is asked for. */
const withFile = async (name: string, bytes: Buffer | string) => {
  const { id, estimate } = await createAs(service, 'report', {
    name: 'A report',
    estimate: await uploadFile(service, name, bytes),
  })
  return (query: string, more?: Parameters<typeof download>[2]) =>
    download(service, `/report/${id}/file/${estimate.id}${query}`, more)
}

test('a thumbnail is a small WebP, turned as the camera says, without what else the file tells', async () => {
  const bytes = await picture(400, 200)
    .withExif({ IFD0: { ImageDescription: 'Taken at home' } })
    .withMetadata({ orientation: 6 })
    .jpeg()
    .toBuffer()
  assert.ok(bytes.includes('Taken at home'))
  const get = await withFile('a.jpg', bytes)
  const [small, large] = [await get('?size=160'), await get('?size=800')]
  const found = await Promise.all([small, large].map((one) => sharp(one.bytes).metadata()))
  assert.deepEqual(
    found.map(({ format, width, height, exif, orientation }) => [
      format,
      width,
      height,
      exif,
      orientation,
    ]),
    [
      ['webp', 80, 160, undefined, undefined],
      ['webp', 200, 400, undefined, undefined],
    ],
  )
  const header = (name: string) => small.headers.get(name)
  const etag = header('etag') ?? ''
  assert.deepEqual(
    ['content-type', 'content-disposition', 'cache-control', 'accept-ranges'].map(header),
    ['image/webp', 'inline; filename="a.jpg.webp"', 'private, no-cache', null],
  )
  assert.match(header('content-security-policy') ?? '', /; sandbox;/)
  assert.equal(etag, `"${createHash('sha256').update(bytes).digest('hex')}-160"`)
  assert.equal((await get('?size=160', { headers: { 'If-None-Match': etag } })).status, 304)
  const head = await get('?size=160', { method: 'HEAD' })
  assert.deepEqual(
    [head.status, head.headers.get('content-length'), head.bytes.length],
    [200, String(small.bytes.length), 0],
  )
  assert.equal((await get('?size=161')).status, 400)
})

for (const format of ['png', 'webp', 'gif', 'avif'] as const)
  test(`a picture of the kind ${format} has one`, async () => {
    const get = await withFile(`a.${format}`, await picture(64, 32).toFormat(format).toBuffer())
    const { status, bytes } = await get('?size=160')
    assert.equal(status, 200, bytes.toString())
    const { width, height } = await sharp(bytes).metadata()
    assert.deepEqual([width, height], [64, 32])
  })

/** The head of a PNG, whose pixels do not follow. */
const hugePng = (() => {
  const bytes = pngOf()
  bytes.writeUInt32BE(60_000, 16)
  bytes.writeUInt32BE(60_000, 20)
  return bytes
})()
const noise = { type: 'gaussian', mean: 128, sigma: 40 } as const
const jpeg = await sharp({
  create: { width: 300, height: 300, channels: 3, background: '#000', noise },
})
  .jpeg()
  .toBuffer()

const none: readonly (readonly [name: string, bytes: string | Buffer, reason: RegExp])[] = [
  ['a.txt', 'A text', /of text\/plain none are made/],
  ['a.pdf', '%PDF-1.4\n%\xe2\xe3\n', /of application\/pdf none are made/],
  [
    'a.svg',
    '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><image href="file:///etc/passwd"/></svg>',
    /of image\/svg\+xml none are made/,
  ],
  ['huge.png', hugePng, /damaged|more than 50000000 pixels/],
  [
    'huge.gif',
    Buffer.from('47494638396160ea60ea800000', 'hex'),
    /damaged|more than 50000000 pixels/,
  ],
  ['cut.jpg', jpeg.subarray(0, jpeg.length / 3), /damaged/],
  ['head.jpg', jpeg.subarray(0, 40), /damaged/],
  [
    'a.webp',
    Buffer.from('RIFF\x24\0\0\0WEBPVP8 \x18\0\0\0nothing of a picture', 'latin1'),
    /damaged/,
  ],
]
for (const [name, bytes, reason] of none)
  test(`${name} has none, says why, and stays a file`, async () => {
    const get = await withFile(name, bytes)
    for (let times = 0; times < 2; times++) {
      const refused = await get('?size=160')
      const { status, code, detail } = JSON.parse(refused.bytes.toString())
      assert.deepEqual([status, code], [404, 'file.no-thumbnail'])
      assert.match(detail, reason)
    }
    assert.deepEqual((await get('')).bytes, Buffer.from(bytes))
  })

const limits = { timeoutMs: 20_000, memoryBytes: 1_073_741_824 }
const large = await picture(4000, 3000).png().toBuffer()
const open = async () => Readable.from([large])

test('a picture that takes too long or too much memory costs its process, and the next one gets another', async () => {
  const attempts = [
    [{ ...limits, timeoutMs: 1 }, /takes too long/],
    [{ ...limits, memoryBytes: 1 }, /takes too much memory/],
    [limits, undefined],
  ] as const
  for (const [limit, fault] of attempts) {
    const maker = createThumbnailMaker({ open }, limit)
    afterwards(maker.close)
    for (let times = 0; times < 2; times++) {
      const made = await maker.make({ sha256: '', size: 160 })
      if (fault) assert.match('fault' in made ? made.fault : '', fault)
      else assert.ok('image' in made)
    }
  }
})

/** Bytes that the database knows, and their thumbnails by a maker. */
const thumbnailsBy = async (make: ThumbnailMaker['make']) => {
  const sha256 = createHash('sha256').update(`${Math.random()}`).digest('hex')
  await pool.query('INSERT INTO docket.blob (sha256, bytes) VALUES ($1, 1)', [sha256])
  const maker = { make, close: async () => undefined }
  const { find } = createThumbnails({ pool, maker })
  const count = async () =>
    (await pool.query('SELECT FROM docket.thumbnail WHERE sha256 = $1', [sha256])).rowCount
  return { sha256, find: () => find({ sha256, mimetype: 'image/png', bytes: 1 }, 160), count }
}

test('requests at once and later ones get what is made once; it goes with its picture, and by its age', async () => {
  let made = 0
  const image = Buffer.from([1, 2, 3])
  const { sha256, find, count } = await thumbnailsBy(async () => {
    made += 1
    return { image }
  })
  const found = await Promise.all([find(), find(), find()])
  assert.deepEqual([...found, await find()], [image, image, image, image])
  assert.equal(made, 1)
  const age = (time: string) =>
    pool.query('UPDATE docket.thumbnail SET made_at = now() - $2::interval WHERE sha256 = $1', [
      sha256,
      time,
    ])
  await age('29 days')
  await removeOldThumbnails(pool)
  assert.equal(await count(), 1)
  await age('31 days')
  await removeOldThumbnails(pool)
  assert.equal(await count(), 0)
  await find()
  assert.deepEqual([made, await count()], [2, 1])
  await pool.query('DELETE FROM docket.blob WHERE sha256 = $1', [sha256])
  assert.equal(await count(), 0)
  // The bytes have gone meanwhile.
  await find()
  assert.equal(await count(), 0)
})

test('without the library, and without the bytes, nothing is kept, so that they can come', async () => {
  const library = await thumbnailsBy(async () => ({ missing: 'library' }))
  await assert.rejects(library.find(), { code: 'file.no-thumbnail', message: /install "sharp"/ })
  const bytes = await thumbnailsBy(async () => ({ missing: 'bytes', text: 'It is away.' }))
  await assert.rejects(bytes.find(), /It is away\./)
  assert.deepEqual([await library.count(), await bytes.count()], [0, 0])
})
