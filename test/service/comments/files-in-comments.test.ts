/** Files in comments: who writes and reads them, and what becomes of them with their comment. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { download, pngOf, uploadFile } from '../../support/uploads.ts'
import { mailOf, type Name, openComments } from './a-comment-project.ts'

const { service, ask, newOrder, say, listOf, historyOf } = await openComments()
const { pool } = service.database

describe('files in comments', () => {
  type File = { readonly id: number; readonly filename: string }
  const upload = (who: Name, name: string, bytes = pngOf(name)) =>
    uploadFile(service, name, bytes, mailOf(who))
  const namesOf = ({ files }: { readonly files: readonly File[] }) =>
    files.map(({ filename }) => filename)
  const read = async (who: Name, order: string, { id }: File, method = 'GET') =>
    (await download(service, `${order}/file/${id}`, { as: mailOf(who), method })).status

  test('are uploads of the writer, which the comment shows and those who read it get', async () => {
    const order = await newOrder()
    const bytes = pngOf('a screenshot')
    const files = [await upload('writer', 'shot.png', bytes), await upload('writer', 'b.png')]
    const keyed = { 'Idempotency-Key': 'files-1' }
    const body = { text: 'Look', files }
    const said = await ask('writer', 'POST', `${order}/comment`, body, keyed)
    const comment = said.json(201)
    const [{ id, ...shown }] = comment.files
    assert.deepEqual(shown, {
      filename: 'shot.png',
      mimetype: 'image/png',
      bytes: bytes.length,
      width: 1,
      height: 1,
    })
    const again = await ask('writer', 'POST', `${order}/comment`, body, keyed)
    assert.equal(again.text, said.text)
    assert.deepEqual(await listOf('reader', order), [{ ...comment, is_own: false }])
    const got = await download(service, `${order}/file/${id}`, { as: mailOf('reader') })
    assert.deepEqual(got.bytes, bytes)
    for (const who of ['own_reader', 'nobody'] as const)
      assert.equal(await read(who, order, comment.files[0]), 404)
    // Nor below another record.
    assert.equal(await read('writer', await newOrder(), comment.files[0]), 404)
    const [entry] = await historyOf('reader', order)
    assert.deepEqual(entry.changes.files, { after: comment.files })
  })

  test('of an internal comment are for those with the permission', async () => {
    const order = await newOrder()
    const files = [await upload('insider', 'ours.png')]
    const [file] = (await say('insider', order, 'Ours', { is_internal: true, files })).files
    assert.equal(await read('insider', order, file), 200)
    for (const who of ['reader', 'writer'] as const)
      for (const method of ['GET', 'HEAD']) assert.equal(await read(who, order, file, method), 404)
  })

  test('are added, removed and put in order by the author alone, and stay for readers of the history', async () => {
    const order = await newOrder()
    const { id, files } = await say('writer', order, 'Look', {
      files: [await upload('writer', 'a.png'), await upload('writer', 'b.png')],
    })
    const path = `${order}/comment/${id}`
    const [a, b] = files
    const difference = { add: [await upload('writer', 'c.png')], remove: [a.id], order: [] }
    const changed = await ask('writer', 'PATCH', path, { files: difference })
    assert.deepEqual(namesOf(changed.json(200)), ['b.png', 'c.png'])
    assert.ok(changed.json(200).edited_at)
    // What is so already changes nothing.
    const same = { files: changed.json(200).files, text: 'Look' }
    const unchanged = await ask('writer', 'PATCH', path, same)
    assert.equal(unchanged.headers.get('etag'), changed.headers.get('etag'))
    assert.equal((await ask('other', 'PATCH', path, { files: [] })).status, 403)
    const back = (await ask('writer', 'PATCH', path, { files: [a.id, b] })).json(200)
    assert.deepEqual(back.files, [a, b])
    assert.deepEqual(await listOf('reader', order), [{ ...back, is_own: false }])
    assert.equal((await ask('writer', 'DELETE', path)).status, 204)
    const [left] = await listOf('reader', order)
    assert.deepEqual([left.text, left.files], [null, []])
    assert.equal(await read('reader', order, a), 200)
    assert.equal((await ask(undefined, 'DELETE', order)).status, 204)
    assert.equal(await read('reader', order, a), 404)
  })

  test('are in one history with those of the record, for those who may see these', async () => {
    const order = await newOrder('own_reader')
    const { id } = await say('own_reader', order, 'Without')
    const files = { files: [await upload('own_reader', 'a.png')] }
    assert.equal((await ask('own_reader', 'PATCH', `${order}/comment/${id}`, files)).status, 200)
    await say('other', order, 'With', { files: [await upload('other', 'b.png')] })
    const offer = await uploadFile(service, 'offer.png', pngOf('offer'))
    assert.equal((await ask(undefined, 'PATCH', order, { offer, name: 'B' })).status, 200)
    assert.equal((await ask(undefined, 'PATCH', order, { name: 'C' })).status, 200)
    const operationsFor = async (who: Name) =>
      (await historyOf(who, order, '?about=files')).map(
        ({ operation }: { operation: string }) => operation,
      )
    const ofComments = ['createComment', 'changeComment']
    assert.deepEqual(await operationsFor('reader'), ['change', ...ofComments])
    assert.deepEqual(await operationsFor('own_reader'), ofComments)
  })

  const unknown = /^is no upload of yours that waits/
  type Given = { readonly own: string; readonly mine: string; readonly elsewhere: File }
  const refusals: readonly [
    what: string,
    files: (given: Given) => unknown,
    status: number,
    message: RegExp,
    ofChange?: true,
  ][] = [
    ['an upload of another user', ({ mine }) => [mine], 422, unknown],
    ['an upload that is not there', () => [`up_${'x'.repeat(32)}`], 422, unknown],
    ['what is no id of an upload', () => ['own.png'], 400, /must have the id of an upload/],
    ['an upload twice', ({ own }) => [own, own], 400, /twice/],
    ['no list', ({ own }) => own, 400, /must be an array/],
    ['too many', () => Array(100_000).fill('up_'), 422, /^has 100000 files; at most 20 are/],
    ['too many at once', () => ({ add: Array(21).fill('up_') }), 400, /21 files; at most 20/, true],
    ['too many of them', () => Array(21).fill('up_'), 422, /^has 21 files; at most 20 are/, true],
    [
      'a file of another comment',
      ({ elsewhere }) => [elsewhere.id],
      422,
      /^there is no file/,
      true,
    ],
    ['a difference that says nothing', () => ({ add: [] }), 400, /says neither/, true],
    ['another property', ({ own }) => ({ put: [own] }), 400, /./, true],
  ]
  let order: string
  let commentId: number
  let given: Given
  before(async () => {
    order = await newOrder()
    commentId = (await say('other', order, 'Look')).id
    const mine = await upload('writer', 'mine.png')
    const files = [await upload('other', 'elsewhere.png')]
    const [elsewhere] = (await say('other', order, 'Other', { files })).files
    given = { own: await upload('other', 'own.png'), mine, elsewhere }
  })
  for (const [what, filesOf, status, message, isChange = false] of refusals)
    test(`with ${what} are refused`, async () => {
      const files = filesOf(given)
      const reply = await (isChange
        ? ask('other', 'PATCH', `${order}/comment/${commentId}`, { files })
        : ask('other', 'POST', `${order}/comment`, { text: 'a', files }))
      const [issue] = reply.json(status).errors
      assert.match(issue.path, /^files/)
      assert.match(issue.message, message)
    })

  test('that a refused comment names wait as before', async () => {
    const { own } = given
    const body = { text: 'Hi @[2000000000]', files: [own] }
    assert.equal((await ask('other', 'POST', `${order}/comment`, body)).status, 422)
    assert.equal((await ask('reader', 'POST', `${order}/comment`, body)).status, 403)
    const used = await ask('other', 'POST', `${order}/comment`, { text: 'a', files: [own] })
    assert.deepEqual(namesOf(used.json(201)), ['own.png'])
    const { rows } = await pool.query(
      `SELECT count(*)::int AS files FROM docket.file WHERE filename = 'own.png'`,
    )
    assert.deepEqual(rows, [{ files: 1 }])
  })

  test('may be sent by those who write nothing but comments, and a role that reads alone is refused', async () => {
    assert.match(await upload('insider', 'a.png'), /^up_/)
    await assert.rejects(upload('reader', 'a.png'), /"comments\\" on any entity/)
  })

  test('go when their record is anonymised, with their names in the history', async () => {
    const order = await newOrder()
    const files = [await upload('writer', 'qzpassport.png')]
    const { files: shown } = await say('writer', order, 'Her passport', { files })
    const plan = (await ask(undefined, 'POST', `${order}/anonymise?dryRun=true`)).json(200)
    assert.deepEqual(
      plan.rows.filter(({ table }: { table: string }) => table === 'file'),
      [{ table: 'file', rows: 1 }],
    )
    assert.equal((await ask(undefined, 'POST', `${order}/anonymise`)).status, 200)
    const [left] = await listOf('reader', order)
    assert.deepEqual([left.text, left.files], ['Her passport', []])
    assert.ok(!JSON.stringify(await historyOf('reader', order)).includes('qzpassport'))
    assert.equal(await read('reader', order, shown[0]), 404)
  })
})
