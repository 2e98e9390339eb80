/** GET /api/notifications: notifications of the caller, filtered, sorted and paged. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { Compile } from 'typebox/schema'
import { storedNotification } from '../../../src/notifications/inbox/endpoints.ts'
import {
  type Inbox,
  newUser,
  notifyUsers,
  shareInbox,
} from '../../support/notifications/an-inbox.ts'

type User = Awaited<ReturnType<typeof newUser>>

let inbox: Inbox
let anna: User
let bojan: User
let ids: string[]
before(async () => {
  inbox = await shareInbox()
  anna = await newUser(inbox)
  bojan = await newUser(inbox)
  const { pool } = inbox.database
  // The events are stored in another order than they happened.
  for (const [index, day] of [5, 3, 4, 1, 2].entries())
    await notifyUsers(pool, [anna.id, bojan.id], {
      ...{ entityKey: index % 2 ? 'order' : 'supplier', entityId: 10 - (index % 3) },
      ...{ title: `Event ${index}`, at: `2026-05-0${day}T08:30:00.000Z` },
    })
  ids = (await inbox.list(anna.name, '?sortOrder=asc')).map(({ _id }) => _id)
  assert.equal(await inbox.mark(anna.name, { ids: [ids[1], ids[3]], status: 'seen' }), 2)
})

const positions = async (query: string, name = anna.name) =>
  (await inbox.list(name, query)).map(({ _id }) => ids.indexOf(_id))

test('the list is an array of notifications, the latest first, as the OpenAPI document says', async () => {
  const reply = await inbox.ask('GET', '/api/notifications', { as: `${anna.name}@example.com` })
  assert.equal(reply.status, 200)
  assert.equal(reply.headers.get('content-type'), 'application/json; charset=utf-8')
  assert.equal(reply.headers.get('vary'), 'Accept-Language, Authorization, Cookie')
  const [first, ...rest] = reply.json()
  assert.equal(rest.length, 4)
  const [, errors] = Compile(storedNotification).Errors(first)
  assert.deepEqual(errors, [])
  const { _id, timestamp, content, ...fields } = first
  assert.equal(_id, ids[4])
  assert.match(timestamp, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  assert.deepEqual(fields, {
    ...{ user_id: anna.id, entity_key: 'supplier', entity_id: 9, seen: false },
  })
  assert.deepEqual(content, {
    ...{ icon: 'bell', title: 'Event 4', message: 'PO-1 was approved.', url: '/console/order/1' },
  })
})

const orders: readonly [query: string, positions: string][] = [
  ['', '43210'],
  ['sortOrder=asc', '01234'],
  ['sortField=_id&sortOrder=asc', '34120'],
  ['sortField=_id', '02143'],
  ['sortField=user_id&sortOrder=asc', '34120'],
  ['sortField=entity_key&sortOrder=asc', '31420'],
  ['sortField=entity_id&sortOrder=asc', '24130'],
  ['sortField=seen', '13024'],
  // By title: the titles have the order of storage.
  ['sortField=content&sortOrder=asc', '01234'],
  ['sortOrder=ASC', '01234'],
  ['status=seen', '31'],
  ['status=unseen', '420'],
  ['status=unseen&sortOrder=asc&limit=1&skip=1', '2'],
  ['limit=2&skip=2', '21'],
  ['skip=5', ''],
  ['skip=1000000000', ''],
]
test('the list can be filtered, sorted and paged; equal values are sorted by _id in the same direction', async () => {
  for (const [query, expected] of orders)
    assert.equal((await positions(query && `?${query}`)).join(''), expected, query)
})

test('the default page size is 20, and those of other users are not listed', async () => {
  const { name, id } = await newUser(inbox)
  assert.deepEqual(await inbox.list(name), [])
  for (let index = 0; index < 21; index++) await notifyUsers(inbox.database.pool, [id])
  const pages = [await inbox.list(name), await inbox.list(name, '?skip=20')]
  assert.deepEqual([pages[0]?.length, pages[1]?.length], [20, 1])
  assert.deepEqual(pages.flat(), await inbox.list(name, '?limit=1000'))
  assert.deepEqual(await positions('', bojan.name), [-1, -1, -1, -1, -1])
})

test('the due date is relative to now, in the language of the caller or else of the project', async () => {
  const { name, id } = await newUser(inbox)
  const inADay = new Date(Date.now() + 24 * 3_600_000).toISOString()
  await notifyUsers(inbox.database.pool, [id], { due_at: inADay })
  for (const [language, expected] of [
    ['en-GB,en;q=0.9', 'in 1 day'],
    ['fr', 'dans 1 jour'],
    ['xx', 'in 1 Tag'],
    // The HTTP client of the tests sends the language *.
    [undefined, 'in 1 Tag'],
  ] as const) {
    const headers = language === undefined ? {} : { 'Accept-Language': language }
    const as = `${name}@example.com`
    const [listed] = (await inbox.ask('GET', '/api/notifications', { as, headers })).json()
    assert.equal(listed.content.due_date, expected)
  }
})
