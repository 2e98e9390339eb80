/** Comments on records: who reads, writes, changes and removes them, what the history shows of them, and what becomes of them with the record. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, test } from 'node:test'
import { pngOf, uploadFile } from '../../support/uploads.ts'
import { mailOf, type Name, openComments } from './a-comment-project.ts'

const { service, ask, newOrder, say, listOf, textsOf, historyOf } = await openComments()
const { ids } = service
const { pool } = service.database

describe('the permissions', () => {
  // Records of the writer, or the caller's own; list, comment, internal comment.
  const rows: readonly [Name, 'own' | 'other', number, number, number][] = [
    ['writer', 'own', 200, 201, 403],
    ['other', 'other', 200, 201, 403],
    ['insider', 'other', 200, 201, 201],
    ['reader', 'other', 200, 403, 403],
    ['owner', 'own', 200, 201, 403],
    ['owner', 'other', 200, 403, 403],
    ['own_reader', 'own', 200, 201, 403],
    ['own_reader', 'other', 404, 404, 404],
    ['nobody', 'other', 404, 404, 404],
  ]
  for (const [who, whose, ...expected] of rows)
    test(`of ${who} on a record of ${whose}: ${expected.join(' ')}`, async () => {
      const order = await newOrder(whose === 'own' ? who : 'writer')
      const found = [
        await ask(who, 'GET', `${order}/comment`),
        await ask(who, 'POST', `${order}/comment`, { text: 'Fine' }),
        await ask(who, 'POST', `${order}/comment`, { text: 'Ours', is_internal: true }),
      ]
      assert.deepEqual(
        found.map(({ status }) => status),
        expected,
      )
      const stored = await pool.query(`SELECT FROM records.comment WHERE entity_id = $1`, [
        order.split('/')[2],
      ])
      assert.equal(stored.rows.length, expected.filter((status) => status === 201).length)
    })

  test('an entity without comments has no such path, and the entity "comment" is for administrators', async () => {
    const { id } = (await ask(undefined, 'POST', '/plain', { name: 'a' })).json(201)
    for (const path of [`/plain/${id}/comment`, `/plain/${id}/follow`])
      assert.equal((await ask(undefined, 'GET', path)).json(404).code, 'request.no-such-path')
    assert.equal((await ask('reader', 'GET', '/comment')).status, 403)
    assert.equal((await ask(undefined, 'GET', '/comment')).status, 200)
    const refused = await ask(undefined, 'POST', '/comment', { text: 'a' })
    assert.match(refused.json(405).detail, /^Comments are written under their record: POST/)
  })

  test('what the caller may do with a record says whether they comment', async () => {
    const order = await newOrder()
    const { may } = (await ask('writer', 'GET', `${order}/actions`)).json(200)
    assert.deepEqual([may.comments, may.internalComments, may.tasks], [true, false, false])
  })
})

describe('a comment', () => {
  test('leaves the version of its record as it is', async () => {
    const order = await newOrder()
    const before = (await ask('writer', 'GET', order)).headers.get('etag')
    const first = await ask('writer', 'POST', `${order}/comment`, { text: 'Once' })
    const { id, _version: version, ...comment } = first.json(201)
    assert.equal(first.headers.get('location'), `${order}/comment/${id}`)
    assert.equal(first.headers.get('etag'), `"${version}"`)
    const { created_at: at, ...rest } = comment
    assert.ok(Date.parse(at) > 0)
    assert.deepEqual(rest, {
      text: 'Once',
      parent_id: null,
      mentions: [],
      files: [],
      is_internal: false,
      is_removed: false,
      is_own: true,
      user: { id: ids.writer, full_name: 'writer Example' },
      edited_at: null,
      resolved_by: null,
      resolved_at: null,
    })
    assert.deepEqual(await listOf('writer', order), [first.json(201)])
    assert.equal((await ask('writer', 'GET', order)).headers.get('etag'), before)
  })

  const bad: readonly [what: string, body: object, status: number, path: string][] = [
    ['no text', {}, 400, 'text'],
    ['an empty text', { text: '' }, 422, 'text'],
    ['a blank text', { text: ' \n' }, 422, 'text'],
    ['a text that is too long', { text: 'a'.repeat(10_001) }, 422, 'text'],
    ['a control character', { text: 'a\u0007' }, 400, 'text'],
    ['a parent that is not there', { text: 'a', parent_id: 2_000_000_000 }, 422, 'parent_id'],
    ['a user that is not there', { text: 'Hi @[2000000000]' }, 422, 'text'],
    ['a user who may not read it', { text: 'Hi @[NOBODY]' }, 422, 'text'],
    ['an id that no user has', { text: '@[9999999999]' }, 422, 'text'],
    [
      'too many users',
      { text: Array.from({ length: 51 }, (_, index) => `@[${index + 1}]`).join('') },
      422,
      'text',
    ],
  ]
  for (const [what, body, status, path] of bad)
    test(`with ${what} is refused`, async () => {
      const order = await newOrder()
      const text = JSON.stringify(body).replace('NOBODY', String(ids.nobody))
      const reply = await ask('writer', 'POST', `${order}/comment`, JSON.parse(text))
      const { errors } = reply.json(status)
      assert.ok(errors.length > 0 && errors[0].path === path, reply.text)
      assert.deepEqual(await listOf('writer', order), [])
    })

  test('is answered in one level, and a reply is as internal as its thread', async () => {
    const order = await newOrder()
    const first = await say('insider', order, 'Ours', { is_internal: true })
    const reply = await say('insider', order, 'Yes', { parent_id: first.id })
    assert.deepEqual([reply.parent_id, reply.is_internal], [first.id, true])
    const below = { text: 'a', parent_id: reply.id }
    const refused = (await ask('insider', 'POST', `${order}/comment`, below)).json(422)
    assert.match(refused.detail, new RegExp(`its thread begins with ${first.id}`))
    const open = { text: 'a', parent_id: first.id, is_internal: false }
    assert.equal((await ask('insider', 'POST', `${order}/comment`, open)).status, 422)
    const toldOf = async (parent_id: number) => {
      const reply = await ask('writer', 'POST', `${order}/comment`, { text: 'a', parent_id })
      return `${reply.status} ${reply.json().detail.replace(parent_id, '…')}`
    }
    assert.equal(await toldOf(first.id), await toldOf(2_000_000_000))
  })

  test('is changed and removed by its author alone, and keeps its place', async () => {
    const order = await newOrder()
    const { id } = await say('writer', order, 'First')
    const path = `${order}/comment/${id}`
    for (const [who, status] of [
      ['other', 403],
      ['reader', 403],
      ['own_reader', 404],
    ] as const) {
      assert.equal((await ask(who, 'PATCH', path, { text: 'Mine' })).status, status)
      assert.equal((await ask(who, 'DELETE', path)).status, status)
    }
    const changed = await ask('writer', 'PATCH', path, { text: 'Second' })
    assert.equal(changed.json(200).text, 'Second')
    assert.equal(changed.headers.get('etag'), '"2"')
    assert.equal((await ask('writer', 'PATCH', path, {})).status, 400)
    assert.equal((await ask('writer', 'DELETE', path)).status, 204)
    assert.equal((await ask('writer', 'DELETE', path)).json(404).code, 'comment.unknown')
    const [left] = await listOf('reader', order)
    assert.deepEqual([left.id, left.text, left.is_removed], [id, null, true])
    const other = await newOrder()
    assert.equal(
      (await ask('writer', 'PATCH', `${other}/comment/${id}`, { text: 'a' })).status,
      404,
    )
  })

  test('of somebody else is removed by administrators, and then has no replies', async () => {
    const order = await newOrder()
    const { id } = await say('writer', order, 'Rude')
    assert.equal((await ask(undefined, 'DELETE', `${order}/comment/${id}`)).status, 204)
    const body = { text: 'To nobody', parent_id: id }
    assert.equal((await ask('writer', 'POST', `${order}/comment`, body)).status, 422)
  })

  test('is resolved with its thread by whoever may comment, and opened again', async () => {
    const order = await newOrder()
    const { id } = await say('writer', order, 'Open')
    const { id: reply } = await say('other', order, 'Answer', { parent_id: id })
    const resolved = { is_resolved: true }
    const done = (await ask('other', 'PATCH', `${order}/comment/${id}`, resolved)).json(200)
    assert.equal(done.resolved_by.id, ids.other)
    assert.ok(Date.parse(done.resolved_at) > 0)
    const ofReply = await ask('other', 'PATCH', `${order}/comment/${reply}`, resolved)
    assert.match(ofReply.json(422).detail, /is of a whole thread/)
    const open = { is_resolved: false }
    const opened = (await ask('writer', 'PATCH', `${order}/comment/${id}`, open)).json(200)
    assert.deepEqual([opened.resolved_by, opened.resolved_at], [null, null])
    const entries = await historyOf('reader', order, '?about=comments')
    assert.deepEqual(
      entries.map(({ operation }: { operation: string }) => operation),
      ['reopenComment', 'resolveComment', 'createComment', 'createComment'],
    )
  })

  test('is one of 60 in a minute', async () => {
    const order = await newOrder()
    const add = (count: number) =>
      pool.query(
        `WITH made AS (
           INSERT INTO records.comment (key, entity_id, text, _created_by)
           SELECT 'order', $1, 'Comment ' || n, $2 FROM generate_series(1, $3::integer) n RETURNING *
         )
         INSERT INTO docket.history (entity_key, entity_id, part_key, part_id, operation, changes, user_id)
         SELECT key, entity_id, 'comment', id, 'createComment', '{}', $2 FROM made`,
        [order.split('/')[2], ids.writer, count],
      )
    await add(60)
    const reply = await ask('writer', 'POST', `${order}/comment`, { text: 'One more' })
    assert.equal(reply.json(429).code, 'request.too-many')
    assert.equal(reply.headers.get('retry-after'), '60')
    const page = (await ask('reader', 'GET', `${order}/comment?limit=20&page=2`)).json(200).data
    assert.deepEqual([page.length, page[0].text], [20, 'Comment 21'])
    const last = await ask('reader', 'GET', `${order}/comment?limit=2&page=2&newest=true`)
    assert.deepEqual(
      last.json(200).data.map(({ text }: { text: string }) => text),
      ['Comment 58', 'Comment 57'],
    )
    await pool.query(
      `UPDATE docket.history SET at = now() - interval '1 minute' WHERE user_id = $1`,
      [ids.writer],
    )
    assert.equal((await say('writer', order, 'Later')).text, 'Later')
  })
})

describe('internal comments', () => {
  test('and their history are for those with the permission', async () => {
    const order = await newOrder()
    await say('writer', order, 'For all')
    const { id } = await say('insider', order, 'Qzinternal', { is_internal: true })
    assert.deepEqual(await textsOf('insider', order), ['For all', 'Qzinternal'])
    assert.deepEqual(await textsOf('reader', order), ['For all'])
    const about = await historyOf('insider', order, '?about=comments')
    assert.deepEqual(
      about.map(({ part }: { part: object }) => part),
      [
        { entity: 'comment', id, text: 'Qzinternal' },
        { entity: 'comment', id: id - 1, text: 'For all' },
      ],
    )
    for (const who of ['reader', 'writer'] as const) {
      const shown = JSON.stringify([
        await historyOf(who, order),
        (await ask(who, 'GET', '/api/changes')).json(200),
      ])
      assert.ok(!shown.includes('Qzinternal') && shown.includes('For all'), who)
    }
    for (const method of ['PATCH', 'DELETE'])
      assert.equal(
        (
          await ask(
            'writer',
            method,
            `${order}/comment/${id}`,
            method === 'PATCH' ? { text: 'a' } : undefined,
          )
        ).status,
        404,
      )
  })

  test('mention only those who may read them', async () => {
    const order = await newOrder()
    const text = `@[${ids.writer}] and @[${ids.insider}]`
    const refused = await ask('insider', 'POST', `${order}/comment`, { text, is_internal: true })
    assert.deepEqual(
      refused.json(422).errors.map(({ message }: { message: string }) => message.split(',')[0]),
      [`mentions @[${ids.writer}]`],
    )
    const { mentions } = await say('insider', order, text)
    assert.deepEqual(
      mentions.map((one: { id: number }) => one.id).sort(),
      [ids.writer, ids.insider].sort(),
    )
    const people = async (query: string) =>
      (await ask('insider', 'GET', `/api/people?limit=50&reads=${order.slice(1)}${query}`))
        .json(200)
        .data.map((one: { id: number }) => one.id)
    const readers = await people('')
    assert.ok(readers.includes(ids.writer) && !readers.includes(ids.nobody))
    assert.ok(!readers.includes(ids.own_reader), 'reads only own records')
    assert.deepEqual((await people('&internal=true')).sort(), [ids.admin, ids.insider].sort())
  })
})

test('people are not offered for a record that the caller may not read, and the parameter is checked', async () => {
  const order = await newOrder()
  const ask404 = (path: string) => ask('own_reader', 'GET', `/api/people?reads=${path}`)
  assert.equal((await ask('writer', 'GET', '/api/people?reads=order')).status, 400)
  assert.equal((await ask('writer', 'GET', '/api/people?reads=nothing/1')).status, 404)
  assert.ok([403, 404].includes((await ask404(order.slice(1))).status))
})

test('the history has the present text, earlier texts, and goes with the rights of the record', async () => {
  const order = await newOrder()
  const { id } = await say('writer', order, 'Qzfirst')
  await ask('writer', 'PATCH', `${order}/comment/${id}`, { text: 'Qzsecond' })
  const [changed, created] = await historyOf('reader', order)
  assert.deepEqual(
    [changed.operation, changed.task_id, changed.part, changed.changes.text],
    [
      'changeComment',
      null,
      { entity: 'comment', id, text: 'Qzsecond' },
      { before: 'Qzfirst', after: 'Qzsecond' },
    ],
  )
  assert.equal(created.changes.text.after, 'Qzfirst')
  await ask('writer', 'DELETE', `${order}/comment/${id}`)
  const [removed] = await historyOf('reader', order)
  assert.deepEqual([removed.operation, removed.part.text], ['removeComment', null])
  assert.equal((await ask('own_reader', 'GET', `${order}/history`)).status, 404)
})

test('comments are removed and restored with their record, those removed before stay so, and a purge leaves none', async () => {
  const order = await newOrder()
  const { id } = await say('writer', order, 'Gone before')
  await ask('writer', 'DELETE', `${order}/comment/${id}`)
  const upload = await uploadFile(service, 'a.png', pngOf('purged'), mailOf('writer'))
  await say('writer', order, 'Comes back', { files: [upload] })
  await ask('other', 'PUT', `${order}/follow`)
  assert.equal((await ask(undefined, 'DELETE', order)).status, 204)
  assert.equal((await ask('writer', 'GET', `${order}/comment`)).status, 404)
  assert.equal((await ask('writer', 'POST', `${order}/comment`, { text: 'a' })).status, 404)
  assert.equal((await ask(undefined, 'POST', `${order}/restore`)).status, 200)
  assert.deepEqual(await textsOf('writer', order), [null, 'Comes back'])
  assert.equal((await ask(undefined, 'DELETE', `${order}?forever=true`)).status, 204)
  const record = order.split('/')[2]
  const { rows } = await pool.query(
    `SELECT
       (SELECT count(*)::int FROM records.comment WHERE entity_id = $1) AS comments,
       (SELECT count(*)::int FROM docket.file WHERE sha256 = $2) AS files,
       (SELECT count(*)::int FROM docket.follower WHERE entity_id = $1) AS followers,
       (SELECT count(*)::int FROM docket.removed_with_record WHERE entity_id = $1) AS removed,
       (SELECT count(*)::int FROM docket.history WHERE entity_key = 'order' AND entity_id = $1) AS entries`,
    [record, createHash('sha256').update(pngOf('purged')).digest('hex')],
  )
  assert.deepEqual(rows, [{ comments: 0, files: 0, followers: 0, removed: 0, entries: 0 }])
})
