/** A server of notifications that is away delays its own users, and nobody else. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { type FeedService, startOnFeeds, usersIn } from '../../support/feeds/two-feeds.ts'
import { openReader } from '../../support/notifications/a-stream-reader.ts'
import { type OwnServer, startOwnServer } from '../../support/own-server.ts'
import { until } from '../../support/wait.ts'

let server: OwnServer
before(async () => {
  server = await startOwnServer()
})

const titles = async (service: FeedService, mail: string): Promise<string[]> => {
  const reply = await service.ask('GET', '/api/notifications', { as: mail })
  assert.equal(reply.status, 200, reply.text)
  return reply.json().map(({ content }: { content: { title: string } }) => content.title)
}

/** A user of each server. */
const firstOf = (service: FeedService) => {
  const [[anna], [bruno]] = [service.on('a'), service.on('b')]
  assert.ok(anna && bruno)
  return [anna, bruno] as const
}

const metricOf = async (service: FeedService, feed: string): Promise<string | undefined> => {
  const { text } = await service.ask('GET', '/api/metrics')
  return new RegExp(`docket_feed_up{feed="${feed}"} (\\d)`).exec(text)?.[1]
}

test('users of the other server are notified, and its own when it is back, once', async () => {
  const service = await startOnFeeds({ addresses: { b: server.connectionString } })
  const [anna, bruno] = firstOf(service)
  await service.create({ number: 'R-1' })
  assert.equal(await metricOf(service, 'b'), '1')
  const reader = await openReader(service.url, await service.tokenOf(bruno.mail))
  await until('the stream has its count', () => reader.counts().length > 0)

  await server.stop()
  await until('it is known to be away', async () => (await metricOf(service, 'b')) === '0')
  const created = await service.ask('POST', '/request', { body: { number: 'R-2' } })
  assert.equal(created.status, 201, created.text)
  await until(
    'users of a are notified',
    async () => (await titles(service, anna.mail)).length === 2,
  )
  const refused = await service.ask('GET', '/api/notifications', { as: bruno.mail })
  assert.equal(refused.status, 503, refused.text)
  assert.equal(refused.json().code, 'database.unavailable')
  assert.ok(refused.headers.get('retry-after'))
  const mark = { ids: [], status: 'seen', after: '2000-01-01T00:00:00Z' }
  const marks = await service.ask('PUT', '/api/notifications/mark', { as: bruno.mail, body: mark })
  assert.equal(marks.status, 503)
  assert.equal((await service.ask('GET', '/api/health/ready', { as: null })).status, 200)
  assert.equal((await service.ask('GET', '/request/1', { as: bruno.mail })).status, 200)
  assert.equal((await service.ask('GET', '/api/deliveries')).status, 503)

  await server.start()
  await until('its users are notified', async () => {
    const reply = await service.ask('GET', '/api/notifications', { as: bruno.mail })
    return reply.status === 200 && reply.json().length === 2
  })
  await until('the stream has the second', () => reader.notifications().length === 1)
  await until('no job is left', async () => {
    const { rows } = await service.database.pool.query('SELECT FROM graphile_worker._private_jobs')
    return rows.length === 0
  })
  const ids = service.on('b').map(({ id }) => id)
  const stored = (await usersIn(server.pool)).toSorted((one, other) => one - other)
  assert.deepEqual(
    stored,
    ids.flatMap((id) => [id, id]),
  )
  await until('all e-mails are sent', async () => {
    const reply = await service.ask('GET', '/api/deliveries/count')
    return reply.status === 200 && reply.json().email.sent === 2 * service.people.length
  })
  reader.close()
  await service.stop()
})

test('a start with a server that is away serves the users of the others', async () => {
  await server.pool.query('CREATE DATABASE another')
  const address = new URL(server.connectionString)
  address.pathname = '/another'
  await server.stop()
  const service = await startOnFeeds({ addresses: { b: address.href } })
  const [anna, bruno] = firstOf(service)
  const created = await service.ask('POST', '/request', { body: { number: 'R-1' } })
  assert.equal(created.status, 201, created.text)
  await until(
    'users of a are notified',
    async () => (await titles(service, anna.mail)).length === 1,
  )
  assert.equal((await service.ask('GET', '/api/notifications', { as: bruno.mail })).status, 503)
  await server.start()
  await until('users of b are notified', async () => {
    const reply = await service.ask('GET', '/api/notifications', { as: bruno.mail })
    return reply.status === 200 && reply.json().length === 1
  })
  await service.stop()
})
