/**
 * Notifications on two servers: each user's rows are on one of them, and the API shows the same as without. The tests
 * follow each other: each finds what those before it have sent.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { removeOldNotifications } from '../../../src/notifications/inbox/retention.ts'
import { followRenames } from '../../../src/schema-sync/renames/follow-on-feed.ts'
import {
  type FeedService,
  type Person,
  startOnFeeds,
  toAll,
  usersIn,
} from '../../support/feeds/two-feeds.ts'
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
/** A user of each server. */
let both: readonly Person[]
before(async () => {
  service = await startOnFeeds({ files })
  both = ['a', 'b'].flatMap((feed) => service.on(feed).slice(-1))
})
after(() => service.stop())

const ask = async (mail: string | undefined, method: string, path: string, body?: object) => {
  const reply = await service.ask(method, path, { as: mail, ...(body && { body }) })
  assert.equal(reply.status, 200, reply.text)
  return reply.json()
}
const countOf = async (mail: string, status = 'unseen'): Promise<number> =>
  (await ask(mail, 'GET', `/api/notifications/count?status=${status}`)).count

type Delivery = { readonly id: number; readonly address: string; readonly created_at: string }
const listed = async (query: string): Promise<Delivery[]> =>
  (await ask(undefined, 'GET', `/api/deliveries${query}`)).data
const idsOf = (deliveries: readonly Delivery[]) => deliveries.map(({ id }) => id)
const untilSent = (count: number) =>
  until('all e-mails are sent', async () => {
    const { email } = await ask(undefined, 'GET', '/api/deliveries/count')
    return email.sent === count
  })

test('everybody is notified once, on the server of the user, and nothing is stored with the records', async () => {
  await service.create({ number: 'R-1' })
  for (const name of ['a', 'b']) {
    const own = service.on(name).map((one) => one.id)
    assert.ok(own.length > 0)
    assert.deepEqual(await usersIn(service.feeds[name]), own)
  }
  const { rows } = await service.database.pool.query(
    'SELECT FROM docket.notification_count UNION ALL SELECT FROM docket.mailing',
  )
  assert.equal(rows.length, 0)
  await untilSent(service.people.length)
})

test('pages, counts, marks and their undoing are those of the user, on each server', async () => {
  for (const number of ['R-2', 'R-3']) await service.create({ number })
  for (const { mail } of both) {
    const titles = async (query: string) =>
      (await ask(mail, 'GET', `/api/notifications${query}`)).map(
        ({ content }: { content: { title: string } }) => content.title,
      )
    assert.deepEqual(await titles('?limit=2'), ['New: R-3', 'New: R-2'])
    assert.deepEqual(await titles('?limit=2&skip=2'), ['New: R-1'])
    const body = { ids: [], status: 'seen', before: '2999-01-01T00:00:00Z' }
    const reply = await service.ask('PUT', '/api/notifications/mark', { as: mail, body })
    assert.deepEqual([reply.json().count, await countOf(mail)], [3, 0])
    const markedAt = reply.headers.get('x-marked-at')
    const undone = { ids: [], status: 'unseen', markedAt }
    assert.equal((await ask(mail, 'PUT', '/api/notifications/mark', undone)).count, 3)
    assert.equal(await countOf(mail), 3)
  }
})

test('a stream of each server gets what is stored and marked there', async () => {
  const readers = await Promise.all(
    both.map(async ({ mail }) => openReader(service.url, await service.tokenOf(mail))),
  )
  await until('both have their counts', () => readers.every((one) => one.counts().length > 0))
  await service.create({ number: 'R-4' })
  await until('both are told', () => readers.every((one) => one.notifications().length === 1))
  const all = { ids: [], status: 'seen', after: '2000-01-01T00:00:00Z' }
  for (const { mail } of both) await ask(mail, 'PUT', '/api/notifications/mark', all)
  await until('both have none', () => readers.every((one) => one.counts().at(-1) === 0))
  for (const one of readers) one.close()
})

test('the list of deliveries has those of all servers, each on one page, found by record, user and words', async () => {
  await untilSent(48)
  const all = await listed('?limit=1000')
  assert.equal(new Set(idsOf(all)).size, 48)
  const times = all.map((one) => one.created_at)
  assert.deepEqual(times, times.toSorted().toReversed())
  const pages = await Promise.all([1, 2, 3].map((page) => listed(`?limit=20&page=${page}`)))
  assert.deepEqual(pages.flat(), all)
  for (const { id, mail } of both) {
    const own = await listed(`?user=${id}`)
    assert.deepEqual([own.length, own[0]?.address], [4, mail])
    assert.deepEqual(idsOf(await listed(`?q=${mail}`)), idsOf(own))
    assert.deepEqual(await ask(undefined, 'GET', `/api/deliveries/${own[0]?.id}`), own[0])
    const message = await ask(undefined, 'GET', `/api/deliveries/${own[0]?.id}/message`)
    assert.deepEqual([message.as_sent, message.address], [true, mail])
  }
  assert.equal((await listed('?entity=request&record=2')).length, service.people.length)
  assert.equal((await service.ask('GET', '/api/deliveries/999999999')).status, 404)
})

test('deliveries of several servers are sent again together, in the order of the ids that were given', async () => {
  for (const feed of Object.values(service.feeds))
    await feed.query(
      `UPDATE docket.delivery SET status = 'dead', last_error = 'x' WHERE id IN (SELECT max(id) FROM docket.delivery)`,
    )
  const counts = await ask(undefined, 'GET', '/api/deliveries/count?sentLimit=10')
  assert.deepEqual([counts.email.dead, counts.email.sent], [2, 10])
  const ids = [...idsOf(await listed('?status=dead')), 123_456_789]
  const { data } = await ask(undefined, 'POST', '/api/deliveries/retry', { ids })
  const results = ['queued', 'queued', 'delivery.unknown']
  assert.deepEqual(
    data,
    ids.map((id, index) => ({ id, result: results[index] })),
  )
  await untilSent(48)
})

test('over all servers it is known who was notified, and who gets no e-mail and why', async () => {
  const { data } = await ask(undefined, 'GET', '/request/3/notified')
  assert.deepEqual([data.length, data[0].operation, data[0].count], [1, 'create', 12])
  const people: { full_name: string }[] = data[0].people
  assert.deepEqual(
    people.map((one) => one.full_name),
    service.people.slice(0, 10).map((_, index) => `P${String(index + 1).padStart(3, '0')} Example`),
  )
  const off = { data: [{ entity: 'request', operation: 'create', email: false }] }
  for (const { mail } of both) await ask(mail, 'PUT', '/api/notifications/preferences', off)
  const body = { entityKey: 'request', entityId: 1, operation: 'create' }
  const explained = await ask(undefined, 'POST', '/api/notifications/explain', body)
  assert.equal(JSON.stringify(explained).split('has turned such e-mails off').length, 3)
  await service.create({ number: 'R-5' })
  for (const { id, mail } of both) {
    assert.equal((await listed(`?user=${id}`)).length, 4)
    assert.equal(await countOf(mail), 1)
  }
})

test('attachments are created for the mailings of each server, and sent with the e-mails', async () => {
  const created = await service.ask('POST', '/parcel', { body: { number: 'P-1' } })
  assert.equal(created.status, 201, created.text)
  const ofParcel = '?entity=parcel&status=sent'
  await until('all e-mails are sent', async () => (await listed(ofParcel)).length === 12)
  for (const { id } of await listed(ofParcel)) {
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
  const keysAfterFollowing = async () => {
    for (const feed of feeds) await followRenames(pool, feed)
    const found = feeds.map((feed) =>
      feed.query<{ key: string }>(
        'SELECT entity_key AS key FROM docket.notification UNION SELECT entity_key FROM docket.mailing',
      ),
    )
    const keys = (await Promise.all(found)).flatMap(({ rows }) => rows.map(({ key }) => key))
    return [...new Set(keys)].toSorted()
  }
  assert.deepEqual(await keysAfterFollowing(), ['parcel', 'request'])
  await pool.query(
    `INSERT INTO docket.rename (kind, entity_key, earlier, later, is_followed)
     VALUES ('entity', 'claim', 'request', 'claim', true)`,
  )
  assert.deepEqual(await keysAfterFollowing(), ['claim', 'parcel'])
  // A later entity of the earlier name keeps its notifications.
  await service.feeds.a?.query(`UPDATE docket.notification SET entity_key = 'request'`)
  assert.deepEqual(await keysAfterFollowing(), ['claim', 'parcel', 'request'])
})

test('old notifications are removed on each server', async () => {
  for (const feed of Object.values(service.feeds)) {
    await afterRollOut(feed)
    await feed.query(`UPDATE docket.notification SET timestamp = timestamp - interval '400 days'`)
    await removeOldNotifications(feed, service.config)
  }
  for (const { mail } of both) assert.equal(await countOf(mail, 'all'), 0)
})
