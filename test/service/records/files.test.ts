/** Files as values of records: what writes take, what is read, who gets the bytes, and how they are sent. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { removeLocation } from '../../../src/blobs/picture-location.ts'
import { exifOf, pngWith } from '../../support/a-located-picture.ts'
import { createAs, issuesOf, sharedProject, users } from '../../support/a-project.ts'
import { download, pngOf, uploadFile } from '../../support/uploads.ts'

const service = await sharedProject()
const { ask } = service
const { pool } = service.database

const upload = (name: string, bytes: string | Buffer = pngOf(name), as?: string) =>
  uploadFile(service, name, bytes, as)
const report = (values: object = {}, as?: string) =>
  createAs(service, 'report', { name: 'A report', ...values }, as)
const change = async (id: number, body: object, as?: string) =>
  (await ask('PATCH', `/report/${id}`, { body, as })).json(200)
const namesOf = (files: readonly { readonly filename: string }[]) =>
  files.map(({ filename }) => filename)
const get = (id: number, fileId: number, more?: Parameters<typeof download>[2]) =>
  download(service, `/report/${id}/file/${fileId}`, more)

test('an upload becomes the file of a record, with history, and what a field had before can be put back', async () => {
  const bytes = pngOf('first')
  const { id, scan, photos } = await report({ scan: await upload('Bremse vorne.png', bytes) })
  const { id: first, ...shown } = scan
  assert.deepEqual(shown, {
    filename: 'Bremse vorne.png',
    mimetype: 'image/png',
    bytes: bytes.length,
    width: 1,
    height: 1,
  })
  assert.deepEqual(photos, [])
  const changed = await change(id, { scan: await upload('second.png') })
  assert.equal(changed.scan.filename, 'second.png')
  const [entry] = (await ask('GET', `/report/${id}/history?field=scan`)).json(200).data
  assert.deepEqual(entry.changes, { scan: { before: scan, after: changed.scan } })
  assert.deepEqual((await get(id, first)).bytes, bytes)
  // As undoing sends it, and by its id.
  assert.deepEqual((await change(id, { scan: entry.changes.scan.before })).scan, scan)
  const { _version: version } = await versionOf(id)
  assert.deepEqual((await change(id, { scan: first })).scan, scan)
  assert.equal((await versionOf(id))._version, version)
  assert.equal((await change(id, { scan: null })).scan, null)
  assert.deepEqual((await get(id, first)).bytes, bytes)
})

const versionOf = async (id: number) =>
  (
    await ask('POST', '/report/search', { body: { $where: { id }, $select: ['id', '_version'] } })
  ).json(200).data[0]

test('of several files those stay that others add at the same time, and an order may name some of them', async () => {
  const { id } = await report({ photos: [await upload('a.png')] })
  const added = await Promise.all(['b.png', 'c.png'].map((name) => upload(name)))
  await Promise.all(added.map((one) => change(id, { photos: { add: [one] } })))
  const { photos } = (await ask('GET', `/report/${id}`)).json(200)
  assert.deepEqual(namesOf(photos).sort(), ['a.png', 'b.png', 'c.png'])
  const idOf = (name: string) =>
    photos.find((one: { filename: string }) => one.filename === name).id
  const next = await change(id, {
    photos: { add: [await upload('d.png')], remove: [idOf('b.png')], order: [idOf('c.png')] },
  })
  assert.deepEqual(namesOf(next.photos), ['c.png', 'a.png', 'd.png'])
  // Once more it is so already.
  const again = await change(id, { photos: { remove: [idOf('b.png')], order: [idOf('c.png')] } })
  assert.deepEqual(again.photos, next.photos)
  assert.deepEqual((await change(id, { photos: [] })).photos, [])
  const body = { $where: { id, photos: { $null: true } }, $count: true }
  assert.equal((await ask('POST', '/report/search', { body })).json(200).total, 1)
})

test('bulk writes, lines and actions take uploads, and give none back to a write that is refused', async () => {
  const own = await Promise.all(['one.png', 'two.png'].map((name) => upload(name)))
  const bulk = { create: own.map((scan) => ({ name: 'Many', scan })) }
  const { data } = (await ask('POST', '/report/bulk', { body: bulk })).json(200)
  const scans = await Promise.all(
    data.map(async (one: { id: number }) => (await ask('GET', `/report/${one.id}`)).json(200).scan),
  )
  assert.deepEqual(namesOf(scans), ['one.png', 'two.png'])
  const picture = await upload('page.png')
  const { id } = await report()
  const refused = await ask('PATCH', `/report/${id}`, {
    body: { sheets: { create: [{ picture }, {}] } },
  })
  assert.deepEqual(issuesOf(refused, 422), ['sheets.create[1].picture is required'])
  await change(id, { sheets: { create: [{ picture }] } })
  const signing = (values: object) =>
    ask('POST', `/report/${id}/proceedToStep`, { body: { action: 'sign', values } })
  assert.deepEqual(issuesOf(await signing({}), 422), ['values.photos is required'])
  assert.deepEqual(issuesOf(await signing({ photos: [] }), 422), ['values.photos is required'])
  assert.deepEqual(issuesOf(await signing({ photos: [4711] }), 422), [
    'values.photos[0] there is no file 4711 that this record has or had in this field',
  ])
  const { photos } = await change(id, { photos: [await upload('only.png')] })
  const without = await signing({ photos: { remove: [photos[0].id] } })
  assert.deepEqual(issuesOf(without, 422), ['values.photos is required'])
  const signed = (await signing({ photos: [await upload('signature.png')] })).json(200)
  assert.deepEqual(namesOf(signed.photos), ['signature.png'])
})

const unknown =
  'is no upload of yours that waits: an upload is used once, by its user, within 24 hours; send the file again'
const wanted =
  'must be the id of an upload, such as "up_9fT2kQ7xV1…", or of a file that the record has or had in this field'
const noFile = (id: number) => `there is no file ${id} that this record has or had in this field`
const { id: otherId, scan: other } = await report({ scan: await upload('other.png') })
const mine = await upload('mine.png')

/** What a change sends, and what is wrong with it. */
const refusals: readonly (readonly [status: number, body: object, issues: readonly string[]])[] = [
  [422, { scan: `up_${'x'.repeat(32)}` }, [`scan ${unknown}`]],
  [422, { scan: await upload('of-a-buyer.png', pngOf(), users.buyer) }, [`scan ${unknown}`]],
  [
    422,
    { scan: mine, estimate: mine },
    [
      'scan is named twice; one upload becomes one file',
      'estimate is named twice; one upload becomes one file',
    ],
  ],
  [422, { scan: other.id }, [`scan ${noFile(other.id)}`]],
  [422, { estimate: { ...other } }, [`estimate ${noFile(other.id)}`]],
  [
    422,
    { photos: { add: [mine, 4711], remove: [4712] } },
    [`photos.add[1] ${noFile(4711)}`, `photos.remove[0] ${noFile(4712)}`],
  ],
  [
    422,
    { photos: await Promise.all([1, 2, 3, 4, 5].map((at) => upload(`${at}.png`))) },
    ['photos has 5 files; at most 4 are allowed'],
  ],
  [
    422,
    { scan: await upload('page.html', pngOf('<script>alert(1)</script>')) },
    ['scan is image/png by its content, and its name "page.html" does not end so'],
  ],
  [
    422,
    { scan: await upload('page.png', '<html><script>alert(1)</script></html>') },
    ['scan is text/plain by its content; the field takes application/pdf, image/*'],
  ],
  [
    422,
    { scan: await upload('large.png', pngOf('x'.repeat(3000))) },
    ['scan has 3070 bytes; at most 2000 are allowed'],
  ],
  [400, { scan: 'C:\\file.png', photos: [1, 1] }, [`scan ${wanted}`, 'photos names 1 twice']],
]
for (const [status, body, expected] of refusals)
  test(`${JSON.stringify(body).slice(0, 100)} is refused with ${expected[0]?.slice(0, 60)}`, async () => {
    const { id } = await report()
    const found = issuesOf(await ask('PATCH', `/report/${id}`, { body }), status)
    assert.deepEqual(found, expected)
    const { scan, photos } = (await ask('GET', `/report/${id}`)).json(200)
    assert.deepEqual([scan, photos], [null, []])
  })

test('what was refused is an upload as before', async () => {
  assert.equal((await report({ scan: mine })).scan.filename, 'mine.png')
  const again = await ask('POST', '/report', { body: { scan: mine } })
  assert.deepEqual(issuesOf(again, 422), [`scan ${unknown}`])
})

/** Files, and how they are sent; service/uploads/hostile-files.test.ts has those that are not what they seem. */
const sent: readonly (readonly [name: string, bytes: string | Buffer, ...head: string[]])[] = [
  ['a.png', pngOf(), 'image/png', 'inline; filename="a.png"'],
  ['notes.txt', 'Grüße', 'text/plain; charset=utf-8', 'inline; filename="notes.txt"'],
  [
    'Rechnung №7.bin',
    Buffer.of(0, 1),
    'application/octet-stream',
    'attachment; filename="Rechnung _7.bin"; filename*=UTF-8\'\'Rechnung%20%E2%84%967.bin',
  ],
]
for (const [name, bytes, ...head] of sent)
  test(`${JSON.stringify(name)} is sent as ${head}`, async () => {
    const { id, estimate } = await report({ estimate: await upload(name, bytes) })
    for (const method of ['GET', 'HEAD']) {
      const answer = await get(id, estimate.id, { method })
      assert.equal(answer.status, 200, answer.bytes.toString())
      const names = ['content-type', 'content-disposition', 'content-length', 'cache-control']
      assert.deepEqual(
        names.map((one) => answer.headers.get(one)),
        [...head, String(Buffer.byteLength(bytes)), 'private, no-cache'],
      )
      assert.deepEqual(answer.bytes, method === 'HEAD' ? Buffer.of() : Buffer.from(bytes))
    }
  })

const digits = '0123456789'
const { id: rangedId, estimate: ranged } = await report({
  estimate: await upload('digits.txt', digits),
})
const etag = (await get(rangedId, ranged.id)).headers.get('etag') ?? ''
const whole = [200, digits, null] as const
const none = [416, undefined, 'bytes */10'] as const

/** Headers of a request, and what they are answered with. */
const ranges: readonly (readonly [
  headers: Readonly<Record<string, string>>,
  answer: readonly [number, string | undefined, string | null],
])[] = [
  [{ Range: 'bytes=0-3' }, [206, '0123', 'bytes 0-3/10']],
  [{ Range: 'bytes=7-' }, [206, '789', 'bytes 7-9/10']],
  [{ Range: 'bytes=-2' }, [206, '89', 'bytes 8-9/10']],
  [{ Range: 'bytes=-20' }, [206, digits, 'bytes 0-9/10']],
  [{ Range: 'bytes=4-99999999999999999999999' }, [206, '456789', 'bytes 4-9/10']],
  [{ Range: 'bytes=10-' }, none],
  [{ Range: 'bytes=99999999999999999999999-' }, none],
  [{ Range: 'bytes=-0' }, none],
  [{ Range: 'bytes=5-2' }, whole],
  [{ Range: 'bytes=0-1,4-5' }, whole],
  [{ Range: 'lines=0-1' }, whole],
  [{ Range: 'bytes=-' }, whole],
  [{ Range: 'bytes=0-1', 'If-Range': etag }, [206, '01', 'bytes 0-1/10']],
  [{ Range: 'bytes=0-1', 'If-Range': '"another"' }, whole],
  [{ Range: 'bytes=0-1', 'If-Range': 'Wed, 21 Oct 2026 07:28:00 GMT' }, whole],
  [{ 'If-None-Match': etag }, [304, '', null]],
  [{ 'If-None-Match': '"another"' }, whole],
  [{ 'If-None-Match': etag, Range: 'bytes=0-1' }, [304, '', null]],
  [{ 'Accept-Encoding': 'gzip', Range: 'bytes=0-3' }, [206, '0123', 'bytes 0-3/10']],
]
for (const [headers, [status, text, range]] of ranges)
  test(`${JSON.stringify(headers)} is answered with ${status}`, async () => {
    const answer = await get(rangedId, ranged.id, { headers })
    assert.deepEqual([answer.status, answer.headers.get('content-range')], [status, range])
    assert.equal(answer.headers.get('content-encoding'), null)
    if (text !== undefined) assert.equal(answer.bytes.toString(), text)
  })

test('a file is read where its record and its field are, also one that the record has no more', async () => {
  const { id, scan, estimate } = await report({
    scan: await upload('scan.png'),
    estimate: await upload('estimate.png'),
  })
  await change(id, { scan: null, estimate: null })
  const unknownFile = {
    status: 404,
    detail: (fileId: number, of = id) =>
      `There is no file ${fileId} of report ${of} that you may read.`,
  }
  const asked: readonly (readonly [
    as: string | undefined,
    fileId: number,
    status: number,
    of?: number,
  ])[] = [
    [undefined, scan.id, 200],
    [undefined, estimate.id, 200],
    [users.buyer, scan.id, 200],
    // The role hides the field.
    [users.buyer, estimate.id, 404],
    // It reads its own records alone.
    [users.clerk, scan.id, 404],
    [undefined, scan.id, 404, otherId],
    [undefined, 2_000_000_000, 404],
    [undefined, scan.id, 404, 2_000_000_000],
  ]
  const check = async () => {
    for (const [as, fileId, status, of = id] of asked) {
      const answer = await get(of, fileId, as === undefined ? {} : { as })
      const text = answer.bytes.toString()
      assert.equal(answer.status, status, text)
      if (status === 404) assert.equal(JSON.parse(text).detail, unknownFile.detail(fileId, of))
    }
  }
  await check()
  assert.equal((await ask('DELETE', `/report/${id}`)).status, 204)
  assert.equal((await get(id, scan.id)).status, 200)
  // A removed record is for those who may restore it.
  assert.equal((await get(id, scan.id, { as: users.buyer })).status, 404)
  assert.equal((await ask('POST', `/report/${id}/restore`)).status, 200)
  await check()
  assert.equal((await download(service, `/order/1/file/${scan.id}`)).status, 404)
})

test('a field takes a picture without the place where it was taken, and no other', async () => {
  const located = pngWith(exifOf(true))
  const picture = await upload('place.png', located)
  const made = await createAs(service, 'sheet', { picture })
  assert.equal(made.picture.bytes, located.length)
  const { bytes } = await download(service, `/sheet/${made.id}/file/${made.picture.id}`)
  assert.equal(bytes.length, located.length)
  assert.ok(removeLocation(located))
  assert.deepEqual(bytes, located)
  const damaged = await upload('damaged.png', pngWith(exifOf(true, 60_000)))
  const refused = await ask('POST', '/sheet', { body: { picture: damaged } })
  assert.match(refused.text, /the place where it was taken cannot be removed/)
  // Another field has it as it was sent.
  const { id, photos } = await report({ photos: [damaged] })
  assert.deepEqual((await get(id, photos[0].id)).bytes, pngWith(exifOf(true, 60_000)))
})

test('an export has the names of files, which are not imported again', async () => {
  const { id } = await report({
    scan: await upload('=cmd.png'),
    photos: await Promise.all(['x.png', 'y, z.png'].map((name) => upload(name))),
  })
  const body = { $where: { id }, $select: ['id', 'scan', 'photos'] }
  const csv = await ask('POST', '/report/export?format=csv', { body })
  assert.equal(csv.text.trim(), `id,scan,photos\r\n${id},'=cmd.png,"x.png; y, z.png"`)
  const line = (await ask('POST', '/report/export?format=ndjson', { body })).json(200)
  assert.deepEqual(namesOf(line.photos), ['x.png', 'y, z.png'])
  const looked = await ask('POST', '/report/import/look', {
    body: csv.text,
    headers: { 'Content-Type': 'text/csv' },
  })
  assert.match(looked.text, /\\"photos\\" is not imported: files are uploaded/)
})

test('a person who is forgotten leaves no personal file, and a record that is removed for good no file at all', async () => {
  const { id } = await report({ scan: await upload('kept.png'), photos: [await upload('me.png')] })
  const stored = async () =>
    (
      await pool.query<{ filename: string }>(
        `SELECT filename FROM docket.file WHERE entity_key = 'report' AND entity_id = $1`,
        [id],
      )
    ).rows.map(({ filename }) => filename)
  const plan = (await ask('POST', `/report/${id}/anonymise?dryRun=true`)).json(200)
  assert.deepEqual(plan.fields, ['name', 'photos'])
  assert.equal((await ask('POST', `/report/${id}/anonymise`)).status, 200)
  assert.deepEqual(await stored(), ['kept.png'])
  const { text } = await ask('GET', `/report/${id}/history`)
  assert.ok(!text.includes('me.png') && text.includes('kept.png'))
  assert.equal((await ask('DELETE', `/report/${id}?forever=true`)).status, 204)
  assert.deepEqual(await stored(), [])
})
