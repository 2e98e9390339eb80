/** GET /api/notifications: notifications of the caller, filtered, sorted and paged. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { Compile } from 'typebox/schema'
import { storedNotification } from '../../../src/notifications/inbox/endpoints.ts'
import { invalidPaths } from '../../support/a-project.ts'
import { type Inbox, notifyUsers, shareInbox } from '../../support/notifications/an-inbox.ts'

let inbox: Inbox
let anna: number
let ids: string[]
before(async () => {
  inbox = await shareInbox()
  anna = await inbox.addUser('anna')
  const bojan = await inbox.addUser('bojan')
  await inbox.addUser('nova')
  const { pool } = inbox.database
  // The events are stored in another order than they happened.
  for (const [index, day] of [5, 3, 4, 1, 2].entries())
    await notifyUsers(pool, [anna, bojan], {
      entityKey: index % 2 ? 'order' : 'supplier',
      entityId: 10 - (index % 3),
      title: `Event ${index}`,
      at: `2026-05-0${day}T08:30:00.000Z`,
    })
  ids = (await inbox.list('anna', '?sortOrder=asc')).map(({ _id }) => _id)
  assert.equal(await inbox.mark('anna', { ids: [ids[1], ids[3]], status: 'seen' }), 2)
})

const positions = async (query: string, name = 'anna') =>
  (await inbox.list(name, query)).map(({ _id }) => ids.indexOf(_id))

test('the list is an array of notifications, the latest first', async () => {
  const reply = await inbox.ask('GET', '/api/notifications', { as: 'anna@example.com' })
  assert.equal(reply.status, 200)
  assert.equal(reply.headers.get('content-type'), 'application/json; charset=utf-8')
  assert.equal(reply.headers.get('vary'), 'Accept-Language')
  const [first, ...rest] = reply.json()
  assert.equal(rest.length, 4)
  const { _id, timestamp, ...fields } = first
  assert.equal(_id, ids[4])
  assert.match(timestamp, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  assert.deepEqual(fields, {
    user_id: anna,
    entity_key: 'supplier',
    entity_id: 9,
    content: {
      icon: 'bell',
      title: 'Event 4',
      message: 'PO-1 was approved.',
      url: '/console/order/1',
    },
    seen: false,
  })
})

test('a notification matches the schema of the OpenAPI document', async () => {
  const [, errors] = Compile(storedNotification).Errors((await inbox.list('anna'))[0])
  assert.deepEqual(errors, [])
})

const orders: readonly [query: string, positions: number[]][] = [
  ['', [4, 3, 2, 1, 0]],
  ['?sortField=timestamp&sortOrder=desc', [4, 3, 2, 1, 0]],
  ['?sortField=timestamp&sortOrder=asc', [0, 1, 2, 3, 4]],
  ['?sortOrder=asc', [0, 1, 2, 3, 4]],
  ['?sortField=_id&sortOrder=asc', [3, 4, 1, 2, 0]],
  ['?sortField=_id', [0, 2, 1, 4, 3]],
  ['?sortField=user_id&sortOrder=asc', [3, 4, 1, 2, 0]],
  ['?sortField=entity_key&sortOrder=asc', [3, 1, 4, 2, 0]],
  ['?sortField=entity_key', [0, 2, 4, 1, 3]],
  ['?sortField=entity_id&sortOrder=asc', [2, 4, 1, 3, 0]],
  ['?sortField=seen', [1, 3, 0, 2, 4]],
  ['?sortField=seen&sortOrder=asc', [4, 2, 0, 3, 1]],
  // By title: the titles have the order of storage.
  ['?sortField=content&sortOrder=asc', [0, 1, 2, 3, 4]],
  ['?sortField=content', [4, 3, 2, 1, 0]],
  ['?sortOrder=ASC', [0, 1, 2, 3, 4]],
  ['?sortOrder=DESC', [4, 3, 2, 1, 0]],
  ['?status=all', [4, 3, 2, 1, 0]],
  ['?status=seen', [3, 1]],
  ['?status=unseen', [4, 2, 0]],
  ['?status=unseen&sortOrder=asc&limit=1&skip=1', [2]],
  ['?limit=2', [4, 3]],
  ['?limit=2&skip=2', [2, 1]],
  ['?limit=2&skip=4', [0]],
  ['?skip=5', []],
  ['?skip=0&limit=1000', [4, 3, 2, 1, 0]],
  ['?skip=1000000000', []],
]
test('the list can be filtered, sorted and paged; equal values are sorted by _id in the same direction', async () => {
  for (const [query, expected] of orders) assert.deepEqual(await positions(query), expected, query)
})

test('the default page size is 20, and pages follow each other without a gap', async () => {
  const cilka = await inbox.addUser('cilka')
  for (let index = 0; index < 45; index++) await notifyUsers(inbox.database.pool, [cilka])
  assert.equal((await inbox.list('cilka')).length, 20)
  const all = await inbox.list('cilka', '?limit=1000')
  const pages = [0, 20, 40].map((skip) => inbox.list('cilka', `?skip=${skip}`))
  assert.deepEqual((await Promise.all(pages)).flat(), all)
})

test('notifications of other users are not listed', async () => {
  assert.deepEqual(await positions('', 'bojan'), [-1, -1, -1, -1, -1])
  assert.deepEqual(await inbox.list('nova'), [])
})

test('the due date is relative to now, in the language of the caller or else of the project', async () => {
  const dora = await inbox.addUser('dora')
  const inADay = new Date(Date.now() + 24 * 3_600_000).toISOString()
  await notifyUsers(inbox.database.pool, [dora], { due_at: inADay })
  const dueDate = async (language?: string) => {
    const headers = language === undefined ? {} : { 'Accept-Language': language }
    const path = '/api/notifications'
    const reply = await inbox.ask('GET', path, { as: 'dora@example.com', headers })
    return reply.json()[0].content.due_date
  }
  assert.equal(await dueDate('en-GB,en;q=0.9'), 'in 1 day')
  assert.equal(await dueDate('fr'), 'dans 1 jour')
  assert.equal(await dueDate('xx'), 'in 1 Tag')
  // The HTTP client of the tests sends the language *.
  assert.equal(await dueDate(), 'in 1 Tag')
})

const invalid: readonly [query: string, path: string, message: RegExp][] = [
  ['status=read', 'status', /must be one of all, seen, unseen, not "read"/],
  ['status=Seen', 'status', /did you mean "seen"/],
  ['status=', 'status', /must be one of/],
  [
    'sortField=contents',
    'sortField',
    /_id, user_id, entity_key, entity_id, timestamp, seen, content/,
  ],
  ['sortField=timestmap', 'sortField', /did you mean "timestamp"/],
  ['sortField=content.title', 'sortField', /must be one of/],
  ["sortField=_id;DROP TABLE docket.notification;--'", 'sortField', /must be one of/],
  ['sortField=constructor', 'sortField', /must be one of/],
  ['sortOrder=up', 'sortOrder', /must be one of desc, asc, not "up"/],
  ['limit=0', 'limit', /whole number from 1 to 1000/],
  ['limit=-1', 'limit', /whole number/],
  ['limit=1001', 'limit', /whole number/],
  ['limit=1.5', 'limit', /whole number/],
  ['limit=1e2', 'limit', /whole number/],
  ['limit=ten', 'limit', /whole number/],
  ['limit=', 'limit', /whole number/],
  ['limit=99999999999999999999', 'limit', /whole number/],
  ['skip=-1', 'skip', /whole number from 0/],
  ['skip=0.5', 'skip', /whole number/],
  ['skip=1000000001', 'skip', /whole number/],
  ['skip=NaN', 'skip', /whole number/],
  ['skip=1&skip=2', 'skip', /given more than once/],
  ['page=1', 'page', /not a parameter of this path/],
  ['user_id=1', 'user_id', /not a parameter of this path/],
]
test('invalid parameters return 400, all of them together', async () => {
  for (const [query, path, message] of invalid) {
    const reply = await inbox.ask('GET', `/api/notifications?${query}`)
    assert.deepEqual(invalidPaths(reply, 400), [path], query)
    assert.match(reply.json().errors[0].message, message)
  }
  const all = await inbox.ask('GET', '/api/notifications?status=x&sortField=y&limit=z&skip=-1&q=1')
  assert.deepEqual(invalidPaths(all, 400), ['status', 'sortField', 'limit', 'skip', 'q'])
})
