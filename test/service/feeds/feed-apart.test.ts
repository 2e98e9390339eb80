/**
 * Notifications on two servers: each user's rows are on one of them, and the API shows the same as without. The tests
 * follow each other: each finds what those before it have sent.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { removeOldNotifications } from '../../../src/notifications/inbox/retention.ts'
import { followRenames } from '../../../src/schema-sync/renames/follow-on-feed.ts'
import { type FeedService, startOnFeeds, toAll, usersIn } from '../../support/feeds/two-feeds.ts'
import { openReader } from '../../support/notifications/a-stream-reader.ts'
import { everything, readable, requestOf } from '../../support/notifications/an-engine-project.ts'
import { afterRollOut } from '../../support/notifications/an-inbox.ts'
import { until } from '../../support/wait.ts'

const attachments = { documentFunctions: ['native/record-json'], printableDocuments: [] }
const files = {
  'entities/parcel.json': requestOf('parcel', [{ ...toAll, attachments }]),
  'roles/reader.json': {
    key: 'reader',
    permissions: { request: everything, parcel: everything, ...readable },
  },
}

let service: FeedService
before(async () => {
  service = await startOnFeeds({ files })
})
after(() => service.stop())

test('everybody is notified once, on the server of the user, and nothing is stored with the records', async () => {
  const id = await service.create({ number: 'R-1' })
  assert.ok(id)
  for (const name of ['a', 'b']) {
    const own = service.on(name).map((one) => one.id)
    assert.ok(own.length > 0)
    assert.deepEqual(await usersIn(service.feeds[name]), own)
  }
  const { rows } = await service.database.pool.query(
    'SELECT FROM docket.notification_count UNION ALL SELECT FROM docket.mailing',
  )
  assert.equal(rows.length, 0)
  await until('all e-mails are sent', async () => {
    const reply = await service.ask('GET', '/api/deliveries/count')
    return reply.json().email.sent === service.people.length
  })
})

const ask = async (mail: string, method: string, path: string, body?: object) => {
  const reply = await service.ask(method, path, { as: mail, ...(body && { body }) })
  assert.equal(reply.status, 200, reply.text)
  return reply.json()
}

const countOf = async (mail: string, status = 'unseen'): Promise<number> =>
  (await ask(mail, 'GET', `/api/notifications/count?status=${status}`)).count

test('pages, counts, marks and their undoing are those of the user, on each server', async () => {
  for (let index = 2; index <= 4; index++) await service.create({ number: `R-${index}` })
  for (const { mail } of [...service.on('a').slice(0, 2), ...service.on('b').slice(0, 2)]) {
    const titles = async (query: string) =>
      (await ask(mail, 'GET', `/api/notifications${query}`)).map(
        ({ content }: { content: { title: string } }) => content.title,
      )
    assert.deepEqual(await titles('?limit=2'), ['New: R-4', 'New: R-3'])
    assert.deepEqual(await titles('?limit=2&skip=2'), ['New: R-2', 'New: R-1'])
    assert.equal(await countOf(mail), 4)
    const body = { ids: [], status: 'seen', before: '2999-01-01T00:00:00Z' }
    const reply = await service.ask('PUT', '/api/notifications/mark', { as: mail, body })
    assert.deepEqual([reply.json().count, await countOf(mail)], [4, 0])
    const markedAt = reply.headers.get('x-marked-at')
    const undone = { ids: [], status: 'unseen', markedAt }
    assert.equal((await ask(mail, 'PUT', '/api/notifications/mark', undone)).count, 4)
    assert.equal(await countOf(mail), 4)
  }
})

test('a stream of each server gets what is stored and marked there', async () => {
  const [[anna], [bruno]] = [service.on('a'), service.on('b')]
  assert.ok(anna && bruno)
  const open = async ({ mail }: { mail: string }) =>
    openReader(service.url, await service.tokenOf(mail))
  const readers = [await open(anna), await open(bruno)]
  await until('both have their counts', () => readers.every((one) => one.counts().length > 0))
  await service.create({ number: 'R-5' })
  await until('both are told', () => readers.every((one) => one.notifications().length === 1))
  for (const { mail } of [anna, bruno])
    await ask(mail, 'PUT', '/api/notifications/mark', {
      ...{ ids: [], status: 'seen', after: '2000-01-01T00:00:00Z' },
    })
  await until('both have none', () => readers.every((one) => one.counts().at(-1) === 0))
  for (const one of readers) one.close()
})

type Delivery = {
  readonly id: number
  readonly user: { readonly id: number; readonly full_name: string }
  readonly address: string
  readonly history_id: number | null
  readonly created_at: string
}

const listed = async (query: string): Promise<Delivery[]> =>
  (await ask('admin@example.com', 'GET', `/api/deliveries${query}`)).data

test('the list of deliveries has those of all servers, each on one page, with names and history', async () => {
  await until('all are sent', async () => (await listed('?status=sent&limit=1000')).length === 60)
  const all = await listed('?limit=1000')
  assert.equal(all.length, 5 * service.people.length)
  assert.equal(new Set(all.map(({ id }) => id)).size, all.length)
  const times = all.map((one) => one.created_at)
  assert.deepEqual(times, times.toSorted().toReversed())
  const paged: Delivery[] = []
  for (let page = 1; paged.length < all.length; page++)
    paged.push(...(await listed(`?limit=7&page=${page}`)))
  assert.deepEqual(paged, all)
  for (const { user, address, history_id: entry } of all) {
    const person = service.people.find(({ id }) => id === user.id)
    assert.equal(address, person?.mail)
    assert.ok(user.full_name.endsWith('Example'))
    assert.ok(entry)
  }
})

test('deliveries are found by record, user and words, and read one by one', async () => {
  const [person] = service.on('b')
  assert.ok(person)
  const own = await listed(`?user=${person.id}`)
  assert.equal(own.length, 5)
  assert.equal((await listed('?entity=request&record=2')).length, service.people.length)
  assert.deepEqual(
    (await listed(`?q=${person.mail}`)).map(({ id }) => id),
    own.map(({ id }) => id),
  )
  const [first] = own
  assert.deepEqual(await ask('admin@example.com', 'GET', `/api/deliveries/${first?.id}`), first)
  const message = await ask('admin@example.com', 'GET', `/api/deliveries/${first?.id}/message`)
  assert.deepEqual([message.as_sent, message.address], [true, person.mail])
  const unknown = await service.ask('GET', '/api/deliveries/999999999')
  assert.equal(unknown.status, 404)
})

test('deliveries of several servers are sent again together, in the order of the ids that were given', async () => {
  for (const feed of Object.values(service.feeds))
    await feed.query(
      `UPDATE docket.delivery SET status = 'dead', last_error = 'x' WHERE id IN (SELECT max(id) FROM docket.delivery)`,
    )
  const dead = await listed('?status=dead')
  assert.equal(dead.length, 2)
  const counts = await ask('admin@example.com', 'GET', '/api/deliveries/count?sentLimit=10')
  assert.deepEqual([counts.email.dead, counts.email.sent], [2, 10])
  const ids = [...dead.map(({ id }) => id), 123_456_789]
  const one = await ask('admin@example.com', 'POST', '/api/deliveries/retry', { ids })
  assert.deepEqual(one.data, [
    { id: ids[0], result: 'queued' },
    { id: ids[1], result: 'queued' },
    { id: ids[2], result: 'delivery.unknown' },
  ])
  await until('both are sent', async () => (await listed('?status=sent&limit=1000')).length === 60)
  await service.feeds.b?.query(
    `UPDATE docket.delivery SET status = 'dead' WHERE id IN (SELECT min(id) FROM docket.delivery)`,
  )
  const oldest = await ask('admin@example.com', 'POST', '/api/deliveries/retry', { status: 'dead' })
  assert.deepEqual([oldest.data.length, oldest.hasMore], [1, false])
})

test('who was notified of a record is known over all servers', async () => {
  const { data } = await ask('admin@example.com', 'GET', '/request/3/notified')
  const [entry] = data
  assert.equal(data.length, 1)
  assert.deepEqual([entry.operation, entry.count], ['create', service.people.length])
  const names = entry.people.map((one: { full_name: string }) => one.full_name)
  assert.deepEqual(
    names,
    service.people.slice(0, 10).map((_, index) => `P${String(index + 1).padStart(3, '0')} Example`),
  )
  assert.deepEqual(
    entry.people[0].channels.map(({ channel }: { channel: string }) => channel),
    ['email', 'inbox'],
  )
})

test('an explanation says who is notified, and why somebody gets no e-mail', async () => {
  const [person] = service.on('b')
  assert.ok(person)
  const off = { data: [{ entity: 'request', operation: 'create', email: false }] }
  await ask(person.mail, 'PUT', '/api/notifications/preferences', off)
  const body = { entityKey: 'request', entityId: 1, operation: 'create' }
  const explained = await ask('admin@example.com', 'POST', '/api/notifications/explain', body)
  assert.match(JSON.stringify(explained), /has turned such e-mails off/)
  const before = (await listed(`?user=${person.id}&limit=100`)).length
  const number = 'R-6'
  await service.create({ number })
  assert.equal((await listed(`?user=${person.id}&limit=100`)).length, before)
  assert.equal(
    (await ask(person.mail, 'GET', '/api/notifications?limit=1'))[0].content.title,
    'New: R-6',
  )
})

test('attachments are created for the mailings of each server, and sent with the e-mails', async () => {
  const created = await service.ask('POST', '/parcel', { body: { number: 'P-1' } })
  assert.equal(created.status, 201, created.text)
  await until('all e-mails are sent', async () => {
    const { email } = await ask('admin@example.com', 'GET', '/api/deliveries/count?entity=parcel')
    return email.sent === service.people.length
  })
  const { data } = (await service.ask('GET', '/api/deliveries?entity=parcel&limit=100')).json()
  for (const { id, attachments: own } of data) {
    assert.deepEqual([own.length, own[0].fault], [1, null])
    const file = await service.ask('GET', `/api/deliveries/${id}/attachments/0`)
    assert.deepEqual([file.status, file.json().number], [200, 'P-1'])
  }
  for (const feed of Object.values(service.feeds)) {
    const { rowCount } = await feed.query('SELECT FROM docket.feed_job')
    assert.equal(rowCount, 0, 'every job was taken over')
  }
})

test('what was renamed in the records is renamed on each server, once', async () => {
  const { pool } = service.database
  const feeds = Object.values(service.feeds)
  const keysOn = async () => {
    const keys = feeds.map(async (feed) => {
      const { rows } = await feed.query<{ key: string }>(
        'SELECT entity_key AS key FROM docket.notification UNION SELECT entity_key FROM docket.mailing',
      )
      return rows.map(({ key }) => key)
    })
    return [...new Set((await Promise.all(keys)).flat())].toSorted()
  }
  const follow = async () => {
    for (const feed of feeds) await followRenames(pool, feed)
  }
  assert.deepEqual(await keysOn(), ['parcel', 'request'])
  await pool.query(
    `INSERT INTO docket.rename (kind, entity_key, earlier, later, is_followed)
     VALUES ('entity', 'claim', 'request', 'claim', true)`,
  )
  await follow()
  assert.deepEqual(await keysOn(), ['claim', 'parcel'])
  // A later entity of the earlier name keeps its notifications.
  await service.feeds.a?.query(`UPDATE docket.notification SET entity_key = 'request'`)
  await follow()
  assert.deepEqual(await keysOn(), ['claim', 'parcel', 'request'])
})

test('old notifications are removed on each server', async () => {
  for (const feed of Object.values(service.feeds)) {
    await afterRollOut(feed)
    await feed.query(`UPDATE docket.notification SET timestamp = timestamp - interval '400 days'`)
    await removeOldNotifications(feed, service.config)
  }
  for (const { mail } of service.people) assert.equal(await countOf(mail, 'all'), 0)
})
