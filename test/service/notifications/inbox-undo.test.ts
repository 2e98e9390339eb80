/** Undoing a mark: exactly those that one call marked become unseen again. */
import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { invalidPaths } from '../../support/a-project.ts'
import { type Inbox, notifyUsers, startInbox } from '../../support/notifications/an-inbox.ts'

let inbox: Inbox
let user: { name: string; id: number }
let userCount = 0
before(async () => {
  inbox = await startInbox()
})
beforeEach(async () => {
  const name = `undo${++userCount}`
  user = { name, id: await inbox.addUser(name) }
})
after(() => inbox.stop())

const arrive = async (count: number) => {
  for (let index = 0; index < count; index++) await notifyUsers(inbox.database.pool, [user.id])
}
const list = () => inbox.list(user.name, '?sortOrder=asc&limit=1000')
const seen = async () => (await list()).map((one) => (one.seen ? 1 : 0)).join('')
const put = (body: object, name = user.name) =>
  inbox.ask('PUT', '/api/notifications/mark', { as: `${name}@example.com`, body })
const markedAt = async (body: object) => {
  const reply = await put({ ids: [], status: 'seen', ...body })
  assert.equal(reply.status, 200, reply.text)
  return reply.headers.get('x-marked-at')
}
const all = { before: '2099-01-01 00:00:00' }
const undo = async (moment: unknown, name?: string) =>
  (await put({ ids: [], status: 'unseen', markedAt: moment }, name)).json().count

test('those that were seen before or arrived later stay as they are', async () => {
  await arrive(4)
  const [first] = await list()
  await markedAt({ ids: [first?._id] })
  const moment = await markedAt(all)
  await arrive(2)
  assert.equal(await seen(), '111100')
  assert.equal(await undo(moment), 3)
  assert.equal(await seen(), '100000')
  assert.equal(await inbox.count(user.name, 'unseen'), 5)
  assert.equal(await undo(moment), 0)
})

test('those that were marked again since belong to the later call', async () => {
  await arrive(3)
  const [first, second] = await list()
  const moment = await markedAt(all)
  await inbox.mark(user.name, { ids: [first?._id, second?._id], status: 'unseen' })
  const later = await markedAt({ ids: [second?._id] })
  assert.equal(await undo(moment), 1)
  assert.equal(await seen(), '010')
  assert.equal(await undo(later), 1)
  assert.equal(await seen(), '000')
})

test('a call that changes nothing, or marks as unseen, returns no moment', async () => {
  await arrive(1)
  assert.equal(await markedAt({ before: '2000-01-01 00:00:00' }), null)
  assert.notEqual(await markedAt(all), null)
  assert.equal(await markedAt(all), null)
  assert.equal(await markedAt({ status: 'unseen', ...all }), null)
})

test('concurrent marks have different moments, and each is undone alone', async () => {
  await arrive(40)
  const ids = (await list()).map(({ _id }) => _id)
  // Overlapping: each notification is marked by one of them.
  const parts = Array.from({ length: 20 }, (_, index) => ids.slice(index, index + 21))
  const replies = await Promise.all(parts.map((part) => put({ ids: part, status: 'seen' })))
  const marks = replies
    .map((reply) => ({ count: reply.json().count, at: reply.headers.get('x-marked-at') }))
    .filter(({ at }) => at !== null)
  assert.equal(new Set(marks.map(({ at }) => at)).size, marks.length)
  assert.equal(
    marks.reduce((sum, { count }) => sum + count, 0),
    40,
  )
  const undone = await Promise.all([...marks.map(({ at }) => undo(at)), arrive(2)])
  assert.deepEqual(
    undone.slice(0, -1),
    marks.map(({ count }) => count),
  )
  assert.equal(await inbox.count(user.name, 'unseen'), 42)
})

test('the moment of another user names nothing', async () => {
  await arrive(2)
  const moment = await markedAt(all)
  await inbox.addUser(`${user.name}b`)
  assert.equal(await undo(moment, `${user.name}b`), 0)
  assert.equal(await seen(), '11')
})

test('markedAt must be a time, and is only for unseen', async () => {
  const invalid = async (body: object) => invalidPaths(await put({ ids: [], ...body }), 400)
  assert.deepEqual(await invalid({ status: 'unseen', markedAt: 'now' }), ['markedAt'])
  assert.deepEqual(await invalid({ status: 'seen', markedAt: '2026-05-04T08:30:00.000Z' }), [
    'markedAt',
  ])
})
