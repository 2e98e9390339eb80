/** PUT /api/notifications/mark and GET /api/notifications/count. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, beforeEach, test } from 'node:test'
import { invalidPaths } from '../support/a-project.ts'
import { type Inbox, notifyUsers, startInbox, type Told } from './an-inbox.ts'

let inbox: Inbox
let word: string
let own: Told[]
let people = 0
before(async () => {
  inbox = await startInbox()
})
// Somebody with five notifications, the earliest first.
beforeEach(async () => {
  word = `user${++people}`
  const userId = await inbox.addUser(word)
  for (let index = 0; index < 5; index++) await notifyUsers(inbox.database.pool, [userId])
  own = await inbox.list(word, '?sortOrder=asc')
})
after(() => inbox.stop())

const id = (place: number) => own[place]?._id ?? assert.fail()
const at = (place: number) => own[place]?.timestamp ?? assert.fail()
const seen = async () =>
  (await inbox.list(word, '?sortOrder=asc')).map((one) => (one.seen ? 1 : 0)).join('')
const counts = async () => [
  await inbox.count(word),
  await inbox.count(word, 'all'),
  await inbox.count(word, 'seen'),
  await inbox.count(word, 'unseen'),
]

test('counts follow what is marked', async () => {
  assert.deepEqual(await counts(), [5, 5, 0, 5])
  await inbox.mark(word, { ids: [id(0), id(4)], status: 'seen' })
  assert.deepEqual(await counts(), [5, 5, 2, 3])
})

test('a user who was never told anything counts none', async () => {
  await inbox.addUser(`${word}b`)
  for (const status of ['all', 'seen', 'unseen'])
    assert.equal(await inbox.count(`${word}b`, status), 0)
})

test('ids are marked seen, and unseen again; doing it twice changes nothing', async () => {
  const ids = [id(1), id(3)]
  assert.equal(await inbox.mark(word, { ids, status: 'seen' }), 2)
  assert.equal(await inbox.mark(word, { ids, status: 'seen' }), 0)
  assert.equal(await seen(), '01010')
  assert.equal(await inbox.mark(word, { ids: [id(1), id(0)], status: 'unseen' }), 1)
  assert.equal(await inbox.mark(word, { ids: [id(1)], status: 'unseen' }), 0)
  assert.equal(await seen(), '00010')
})

test('with ids and after those that are named, and all that are later', async () => {
  const ids = [id(0), id(1), id(4)]
  assert.equal(await inbox.mark(word, { ids, status: 'seen', after: at(3) }), 3)
  assert.equal(await seen(), '11001')
  assert.equal(await inbox.mark(word, { ids: [id(1)], status: 'unseen', after: at(2) }), 2)
  assert.equal(await seen(), '10000')
})

test('an id is marked whatever after says', async () => {
  const after = '2099-01-01 00:00:00'
  assert.equal(await inbox.mark(word, { ids: [id(2)], status: 'seen', after }), 1)
  assert.equal(await seen(), '00100')
})

test('no ids with after are all that are later', async () => {
  assert.equal(await inbox.mark(word, { ids: [], status: 'seen', after: at(2) }), 2)
  assert.equal(await seen(), '00011')
})

test('before is up to the moment, and what came since stays as it is', async () => {
  assert.equal(await inbox.mark(word, { ids: [], status: 'seen', before: at(2) }), 3)
  assert.equal(await seen(), '11100')
})

test('after and before make a span, with ids too', async () => {
  const span = { after: at(0), before: at(3) }
  assert.equal(await inbox.mark(word, { ids: [], status: 'seen', ...span }), 3)
  assert.equal(await seen(), '01110')
  const ids = [id(0), id(4)]
  assert.equal(await inbox.mark(word, { ids, status: 'seen', ...span }), 2)
  assert.equal(await seen(), '11111')
  const none = { after: at(3), before: at(0) }
  assert.equal(await inbox.mark(word, { ids: [], status: 'seen', ...none }), 0)
})

test('a time without offset is of the zone of the service', async () => {
  await inbox.database.pool.query(
    `UPDATE docket.notification SET timestamp = '2026-01-15 11:59:59.5+00' WHERE _id = $1`,
    [id(0)],
  )
  await inbox.database.pool.query(
    `UPDATE docket.notification SET timestamp = '2026-01-15 12:00:00.5+00' WHERE _id = $1`,
    [id(1)],
  )
  // In Zagreb it is an hour later than in UTC.
  const before = '2026-01-15 13:00:00'
  assert.equal(await inbox.mark(word, { ids: [], status: 'seen', before }), 1)
  assert.equal(await seen(), '10000')
})

test('an offset is obeyed', async () => {
  await inbox.database.pool.query(
    `UPDATE docket.notification SET timestamp = '2026-01-15 12:00:00+00' WHERE _id = $1`,
    [id(0)],
  )
  const before = (moment: string) => inbox.mark(word, { ids: [], status: 'seen', before: moment })
  assert.equal(await before('2026-01-15T06:59:59.999-05:00'), 0)
  assert.equal(await before('2026-01-15T07:00:00-05:00'), 1)
})

test("another user's ids, ids of nothing and texts that are no ids are ignored", async () => {
  const other = `${word}other`
  await notifyUsers(inbox.database.pool, [await inbox.addUser(other)])
  const [theirs] = await inbox.list(other)
  const strange = ['', 'x', '7', "' OR true --", '\u0000', id(0).replaceAll('-', ''), `{${id(0)}}`]
  const ids = [theirs?._id, randomUUID(), ...strange]
  assert.equal(await inbox.mark(word, { ids, status: 'seen' }), 0)
  assert.equal(await inbox.mark(word, { ids: [...ids, id(2), id(2)], status: 'seen' }), 1)
  assert.equal(await seen(), '00100')
  assert.equal((await inbox.list(other))[0]?.seen, false)
  assert.equal(await inbox.count(other, 'unseen'), 1)
})

test('texts that are no ids name nothing; beside after what is later is marked', async () => {
  assert.equal(await inbox.mark(word, { ids: ['nonsense'], status: 'seen' }), 0)
  assert.equal(await inbox.mark(word, { ids: ['nonsense'], status: 'seen', after: at(3) }), 1)
  assert.equal(await seen(), '00001')
})

test('an id in capital letters is the same id', async () => {
  assert.equal(await inbox.mark(word, { ids: [id(0).toUpperCase()], status: 'seen' }), 1)
})

test('ten thousand ids are taken, one more is not', async () => {
  const ids = Array.from({ length: 9_999 }, () => randomUUID())
  assert.equal(await inbox.mark(word, { ids: [...ids, id(0)], status: 'seen' }), 1)
  const body = { ids: [...ids, id(0), id(1)], status: 'seen' }
  const reply = await inbox.ask('PUT', '/api/notifications/mark', { body })
  assert.deepEqual(invalidPaths(reply, 400), ['ids'])
})

test('whoever was never told anything marks nothing', async () => {
  await inbox.addUser(`${word}c`)
  const after = '2020-01-01 00:00:00'
  assert.equal(await inbox.mark(`${word}c`, { ids: [], status: 'seen', after }), 0)
})

const ok = { ids: [randomUUID()], status: 'seen' }
const wrong: readonly [body: unknown, paths: string[]][] = [
  [undefined, ['']],
  [[], ['']],
  ['"x"', ['']],
  [null, ['']],
  [{}, ['ids', 'status']],
  [{ ids: [], status: 'seen' }, ['ids']],
  [{ status: 'seen', after: '2026-05-04 08:30:00' }, ['ids']],
  [{ ...ok, ids: null }, ['ids']],
  [{ ...ok, ids: 'x' }, ['ids']],
  [{ ...ok, ids: { 0: 'x' } }, ['ids']],
  [{ ...ok, ids: ['x', 1, null, ['y'], {}] }, ['ids[1]', 'ids[2]', 'ids[3]', 'ids[4]']],
  [{ ids: ok.ids }, ['status']],
  [{ ...ok, status: 'all' }, ['status']],
  [{ ...ok, status: 'Seen' }, ['status']],
  [{ ...ok, status: true }, ['status']],
  [{ ...ok, after: '' }, ['after']],
  [{ ...ok, after: null }, ['after']],
  [{ ...ok, after: 1777883400000 }, ['after']],
  [{ ...ok, after: '2026-02-30 10:00:00' }, ['after']],
  [{ ...ok, after: '2026-05-04' }, ['after']],
  [{ ...ok, after: '2026-05-04 25:00:00' }, ['after']],
  // The clock of Zagreb leaps over it.
  [{ ...ok, before: '2026-03-29 02:30:00' }, ['before']],
  [{ ...ok, before: 'yesterday' }, ['before']],
  [{ ...ok, before: '2026-05-04 08:30:00; DROP' }, ['before']],
  [{ ids: [], status: 'seen', after: 'x', before: 'y' }, ['after', 'before']],
  [{ ...ok, user_id: 1, Status: 'seen' }, ['user_id', 'Status']],
  [{ idz: [], status: 'sene', after: [], until: 1 }, ['idz', 'until', 'ids', 'status', 'after']],
]
for (const [body, paths] of wrong)
  test(`the body ${JSON.stringify(body)?.slice(0, 90)} is a 400`, async () => {
    const reply = await inbox.ask('PUT', '/api/notifications/mark', {
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    assert.deepEqual(invalidPaths(reply, 400).sort(), paths.toSorted())
  })

test('parameters and unknown filters are refused', async () => {
  const marked = await inbox.ask('PUT', '/api/notifications/mark?all=true', { body: ok })
  assert.deepEqual(invalidPaths(marked, 400), ['all'])
  const counted = await inbox.ask('GET', '/api/notifications/count?status=new&limit=1')
  assert.deepEqual(invalidPaths(counted, 400), ['status', 'limit'])
})

test('nobody marks or counts without a token', async () => {
  const marked = await inbox.ask('PUT', '/api/notifications/mark', { as: null, body: ok })
  assert.equal(marked.status, 401)
  assert.equal((await inbox.ask('GET', '/api/notifications/count', { as: null })).status, 401)
})

test('a mark that runs beside itself counts each change once', async () => {
  const body = { ids: [], status: 'seen', after: '2020-01-01 00:00:00' }
  const marked = await Promise.all(Array.from({ length: 8 }, () => inbox.mark(word, body)))
  assert.deepEqual(
    marked.toSorted((a, b) => b - a),
    [5, 0, 0, 0, 0, 0, 0, 0],
  )
  assert.deepEqual(await counts(), [5, 5, 5, 0])
})

test('a status that is nearly right is suggested', async () => {
  const body = { ids: [], status: 'unsen', before: '2026-05-04T08:30:00Z' }
  const reply = await inbox.ask('PUT', '/api/notifications/mark', { body })
  assert.deepEqual(reply.json().errors, [
    { path: 'status', message: 'must be one of "seen", "unseen"; did you mean "unseen"?' },
  ])
})
