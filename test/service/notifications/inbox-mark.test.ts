/** PUT /api/notifications/mark and GET /api/notifications/count. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, beforeEach, test } from 'node:test'
import { invalidPaths } from '../../support/a-project.ts'
import {
  type Inbox,
  type ListedNotification,
  notifyUsers,
  startInbox,
} from '../../support/notifications/an-inbox.ts'

let inbox: Inbox
let userName: string
let own: ListedNotification[]
let userCount = 0
before(async () => {
  inbox = await startInbox()
})
// A user with five notifications, the earliest first.
beforeEach(async () => {
  userName = `user${++userCount}`
  const userId = await inbox.addUser(userName)
  for (let index = 0; index < 5; index++) await notifyUsers(inbox.database.pool, [userId])
  own = await inbox.list(userName, '?sortOrder=asc')
})
after(() => inbox.stop())

const id = (index: number) => own[index]?._id ?? assert.fail()
const at = (index: number) => own[index]?.timestamp ?? assert.fail()
const seen = async () =>
  (await inbox.list(userName, '?sortOrder=asc')).map((one) => (one.seen ? 1 : 0)).join('')
const counts = async () => [
  await inbox.count(userName),
  await inbox.count(userName, 'all'),
  await inbox.count(userName, 'seen'),
  await inbox.count(userName, 'unseen'),
]

test('the counts change with marks', async () => {
  assert.deepEqual(await counts(), [5, 5, 0, 5])
  await inbox.mark(userName, { ids: [id(0), id(4)], status: 'seen' })
  assert.deepEqual(await counts(), [5, 5, 2, 3])
})

test('all counts of a user without notifications are 0', async () => {
  await inbox.addUser(`${userName}b`)
  for (const status of ['all', 'seen', 'unseen'])
    assert.equal(await inbox.count(`${userName}b`, status), 0)
})

test('ids are marked seen and unseen, and a second mark changes nothing', async () => {
  const ids = [id(1), id(3)]
  assert.equal(await inbox.mark(userName, { ids, status: 'seen' }), 2)
  assert.equal(await inbox.mark(userName, { ids, status: 'seen' }), 0)
  assert.equal(await seen(), '01010')
  assert.equal(await inbox.mark(userName, { ids: [id(1), id(0)], status: 'unseen' }), 1)
  assert.equal(await inbox.mark(userName, { ids: [id(1)], status: 'unseen' }), 0)
  assert.equal(await seen(), '00010')
})

test('ids with after mark the given and all later notifications', async () => {
  const ids = [id(0), id(1), id(4)]
  assert.equal(await inbox.mark(userName, { ids, status: 'seen', after: at(3) }), 3)
  assert.equal(await seen(), '11001')
  assert.equal(await inbox.mark(userName, { ids: [id(1)], status: 'unseen', after: at(2) }), 2)
  assert.equal(await seen(), '10000')
})

test('an id is marked regardless of after', async () => {
  const after = '2099-01-01 00:00:00'
  assert.equal(await inbox.mark(userName, { ids: [id(2)], status: 'seen', after }), 1)
  assert.equal(await seen(), '00100')
})

test('after without ids marks all later notifications', async () => {
  assert.equal(await inbox.mark(userName, { ids: [], status: 'seen', after: at(2) }), 2)
  assert.equal(await seen(), '00011')
})

test('before marks notifications up to the time, and no later ones', async () => {
  assert.equal(await inbox.mark(userName, { ids: [], status: 'seen', before: at(2) }), 3)
  assert.equal(await seen(), '11100')
})

test('after and before mark a time span, together with ids', async () => {
  const span = { after: at(0), before: at(3) }
  assert.equal(await inbox.mark(userName, { ids: [], status: 'seen', ...span }), 3)
  assert.equal(await seen(), '01110')
  const ids = [id(0), id(4)]
  assert.equal(await inbox.mark(userName, { ids, status: 'seen', ...span }), 2)
  assert.equal(await seen(), '11111')
  const emptySpan = { after: at(3), before: at(0) }
  assert.equal(await inbox.mark(userName, { ids: [], status: 'seen', ...emptySpan }), 0)
})

test('a time without an offset is in the time zone of the project', async () => {
  await inbox.database.pool.query(
    `UPDATE docket.notification SET timestamp = '2026-01-15 11:59:59.5+00' WHERE _id = $1`,
    [id(0)],
  )
  await inbox.database.pool.query(
    `UPDATE docket.notification SET timestamp = '2026-01-15 12:00:00.5+00' WHERE _id = $1`,
    [id(1)],
  )
  // Zagreb is one hour ahead of UTC.
  const before = '2026-01-15 13:00:00'
  assert.equal(await inbox.mark(userName, { ids: [], status: 'seen', before }), 1)
  assert.equal(await seen(), '10000')
})

test('a time with an offset is converted', async () => {
  await inbox.database.pool.query(
    `UPDATE docket.notification SET timestamp = '2026-01-15 12:00:00+00' WHERE _id = $1`,
    [id(0)],
  )
  const before = (moment: string) =>
    inbox.mark(userName, { ids: [], status: 'seen', before: moment })
  assert.equal(await before('2026-01-15T06:59:59.999-05:00'), 0)
  assert.equal(await before('2026-01-15T07:00:00-05:00'), 1)
})

test('ids of other users, unknown ids and invalid ids are ignored', async () => {
  const other = `${userName}other`
  await notifyUsers(inbox.database.pool, [await inbox.addUser(other)])
  const [theirs] = await inbox.list(other)
  const invalidIds = [
    '',
    'x',
    '7',
    "' OR true --",
    '\u0000',
    id(0).replaceAll('-', ''),
    `{${id(0)}}`,
  ]
  const ids = [theirs?._id, randomUUID(), ...invalidIds]
  assert.equal(await inbox.mark(userName, { ids, status: 'seen' }), 0)
  assert.equal(await inbox.mark(userName, { ids: [...ids, id(2), id(2)], status: 'seen' }), 1)
  assert.equal(await seen(), '00100')
  assert.equal((await inbox.list(other))[0]?.seen, false)
  assert.equal(await inbox.count(other, 'unseen'), 1)
})

test('invalid ids mark nothing, and with after the later notifications are marked', async () => {
  assert.equal(await inbox.mark(userName, { ids: ['nonsense'], status: 'seen' }), 0)
  assert.equal(await inbox.mark(userName, { ids: ['nonsense'], status: 'seen', after: at(3) }), 1)
  assert.equal(await seen(), '00001')
})

test('ids are case-insensitive', async () => {
  assert.equal(await inbox.mark(userName, { ids: [id(0).toUpperCase()], status: 'seen' }), 1)
})

test('10,000 ids are accepted, 10,001 are rejected', async () => {
  const ids = Array.from({ length: 9_999 }, () => randomUUID())
  assert.equal(await inbox.mark(userName, { ids: [...ids, id(0)], status: 'seen' }), 1)
  const body = { ids: [...ids, id(0), id(1)], status: 'seen' }
  const reply = await inbox.ask('PUT', '/api/notifications/mark', { body })
  assert.deepEqual(invalidPaths(reply, 400), ['ids'])
})

test('a user without notifications marks nothing', async () => {
  await inbox.addUser(`${userName}c`)
  const after = '2020-01-01 00:00:00'
  assert.equal(await inbox.mark(`${userName}c`, { ids: [], status: 'seen', after }), 0)
})

const validMark = { ids: [randomUUID()], status: 'seen' }
const invalid: readonly [body: unknown, paths: string[]][] = [
  [undefined, ['']],
  [[], ['']],
  ['"x"', ['']],
  [null, ['']],
  [{}, ['ids', 'status']],
  [{ ids: [], status: 'seen' }, ['ids']],
  [{ status: 'seen', after: '2026-05-04 08:30:00' }, ['ids']],
  [{ ...validMark, ids: null }, ['ids']],
  [{ ...validMark, ids: 'x' }, ['ids']],
  [{ ...validMark, ids: { 0: 'x' } }, ['ids']],
  [{ ...validMark, ids: ['x', 1, null, ['y'], {}] }, ['ids[1]', 'ids[2]', 'ids[3]', 'ids[4]']],
  [{ ids: validMark.ids }, ['status']],
  [{ ...validMark, status: 'all' }, ['status']],
  [{ ...validMark, status: 'Seen' }, ['status']],
  [{ ...validMark, status: true }, ['status']],
  [{ ...validMark, after: '' }, ['after']],
  [{ ...validMark, after: null }, ['after']],
  [{ ...validMark, after: 1777883400000 }, ['after']],
  [{ ...validMark, after: '2026-02-30 10:00:00' }, ['after']],
  [{ ...validMark, after: '2026-05-04' }, ['after']],
  [{ ...validMark, after: '2026-05-04 25:00:00' }, ['after']],
  // This time does not exist in Zagreb.
  [{ ...validMark, before: '2026-03-29 02:30:00' }, ['before']],
  [{ ...validMark, before: 'yesterday' }, ['before']],
  [{ ...validMark, before: '2026-05-04 08:30:00; DROP' }, ['before']],
  [{ ids: [], status: 'seen', after: 'x', before: 'y' }, ['after', 'before']],
  [{ ...validMark, user_id: 1, Status: 'seen' }, ['user_id', 'Status']],
  [{ idz: [], status: 'sene', after: [], until: 1 }, ['idz', 'until', 'ids', 'status', 'after']],
]
for (const [body, paths] of invalid)
  test(`the body ${JSON.stringify(body)?.slice(0, 90)} returns 400`, async () => {
    const reply = await inbox.ask('PUT', '/api/notifications/mark', {
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    assert.deepEqual(invalidPaths(reply, 400).sort(), paths.toSorted())
  })

test('unknown parameters and filters are rejected', async () => {
  const marked = await inbox.ask('PUT', '/api/notifications/mark?all=true', { body: validMark })
  assert.deepEqual(invalidPaths(marked, 400), ['all'])
  const counted = await inbox.ask('GET', '/api/notifications/count?status=new&limit=1')
  assert.deepEqual(invalidPaths(counted, 400), ['status', 'limit'])
})

test('marking and counting require a token', async () => {
  const marked = await inbox.ask('PUT', '/api/notifications/mark', { as: null, body: validMark })
  assert.equal(marked.status, 401)
  assert.equal((await inbox.ask('GET', '/api/notifications/count', { as: null })).status, 401)
})

test('concurrent equal marks count each change once', async () => {
  const body = { ids: [], status: 'seen', after: '2020-01-01 00:00:00' }
  const marked = await Promise.all(Array.from({ length: 8 }, () => inbox.mark(userName, body)))
  assert.deepEqual(
    marked.toSorted((a, b) => b - a),
    [5, 0, 0, 0, 0, 0, 0, 0],
  )
  assert.deepEqual(await counts(), [5, 5, 5, 0])
})

test('a similar status is suggested', async () => {
  const body = { ids: [], status: 'unsen', before: '2026-05-04T08:30:00Z' }
  const reply = await inbox.ask('PUT', '/api/notifications/mark', { body })
  assert.deepEqual(reply.json().errors, [
    { path: 'status', message: 'must be one of "seen", "unseen"; did you mean "unseen"?' },
  ])
})
