/** Webhooks are signed requests to a real server, which are retried until it accepts them. */
import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { loadConfig } from '../../../src/config/load-config.ts'
import { feedsOn } from '../../../src/database/feeds/feeds.ts'
import { createListener } from '../../../src/database/listening/listener.ts'
import { openSenders } from '../../../src/deliveries/sending/open-senders.ts'
import type { Observation } from '../../../src/observations.ts'
import { startTestService, type TestService, writeProject } from '../../support/service.ts'
import { until } from '../../support/wait.ts'
import { startTestWorker, type TestWorker } from '../../support/worker.ts'
import {
  acceptAll,
  type Reply,
  startWebhookReceiver,
  type WebhookReceiver,
} from './a-webhook-receiver.ts'

const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`

let receiver: WebhookReceiver
let service: TestService
let worker: TestWorker

const project = {
  'entities/order.json': {
    key: 'order',
    displayField: 'number',
    fields: [{ key: 'number', type: 'string' }],
    hooks: [{ type: 'message', hookType: 'AfterChange', functionName: '_sendNotificationHandler' }],
    notifications: [
      {
        operation: 'create',
        webhook: 'erp',
        recipient: { userFields: ['_created_by'] },
        content: { title: 'New order {{ record.number }}', message: 'From {{ actor.full_name }}' },
      },
    ],
  },
}

before(async () => {
  receiver = await startWebhookReceiver()
  service = await startTestService(await writeProject(project), settings())
  worker = await startTestWorker(service)
})
after(async () => {
  await worker.stop()
  await service.stop()
  await receiver.stop()
})

const address = (scheme = 'http', host = '127.0.0.1') =>
  `${scheme}://${host}:${receiver.port}/hooks?for=docket`
const settings = (url = address(), allowsPrivate = true) => ({
  WEBHOOK_URLS: `erp=${url}`,
  WEBHOOK_SECRETS: `erp=${secret}`,
  WEBHOOK_PRIVATE_ADDRESSES: String(allowsPrivate),
})

const senders: { stop: (graceMs: number) => Promise<void> }[] = []
const observed: Observation[] = []
afterEach(async () => {
  for (const one of senders.splice(0)) await one.stop(5_000)
  receiver.received.splice(0)
  observed.splice(0)
  receiver.reply = acceptAll
  await service.database.pool.query('TRUNCATE docket.mailing CASCADE')
})

/** Starts senders with the settings of the test. */
const startSenders = async (environment: Record<string, string> = {}) => {
  const { runtime, database, project: loaded } = service
  const { pool, connectionString } = database
  const listener = createListener({ connectionString, applicationName: 'docket listener' })
  const config = loadConfig({
    PROJECT: loaded.directory,
    DATABASE_URL: connectionString,
    ...settings(),
    ...environment,
  })
  const { catalog } = loaded
  const { permissions, timeZone } = runtime
  const observe = (observation: Observation) => observed.push(observation)
  const opened = await openSenders({
    ...{ config, catalog, permissions, timeZone, pool, observe },
    feeds: feedsOn(pool),
    listenerOf: () => listener,
    watch: false,
  })
  await listener.start()
  senders.push({
    stop: async (graceMs) => {
      await opened.stop(graceMs)
      await listener.close()
    },
  })
}

const createOrder = async (number: string): Promise<number> => {
  const created = await service.ask('POST', '/order', { body: { number } })
  assert.equal(created.status, 201, created.text)
  await worker.settled()
  return created.json().id
}

type Delivery = { id: number; status: string; last_error: string | null; channel: string }

const deliveryOf = async (entityId: number): Promise<Delivery | undefined> => {
  const { data } = (await service.ask('GET', '/api/deliveries?limit=100')).json()
  return data.find(
    (one: Delivery & { entity_id: number }) =>
      one.entity_id === entityId && one.channel === 'webhook',
  )
}

const settledAs = (entityId: number, status: string) =>
  until(`the delivery is ${status}`, async () => {
    const delivery = await deliveryOf(entityId)
    return delivery?.status === status && delivery
  })

test('a request has the notification of the recipient and a signature of Standard Webhooks', async () => {
  await startSenders()
  const order = await createOrder('A-1')
  await settledAs(order, 'sent')
  const [request] = receiver.received
  assert.ok(request && receiver.received.length === 1)
  assert.equal(request.url, '/hooks?for=docket')
  const verified = new Webhook(secret).verify(
    request.body,
    request.headers as Record<string, string>,
  ) as Record<string, unknown>
  const [stored] = (await service.ask('GET', '/api/notifications?limit=1')).json()
  assert.deepEqual(verified, {
    type: 'order.create',
    timestamp: stored.timestamp,
    data: {
      notification_id: stored._id,
      user_id: stored.user_id,
      entity_key: 'order',
      entity_id: order,
      operation: 'create',
      icon: stored.content.icon,
      title: 'New order A-1',
      message: `From ${(await service.ask('GET', '/api/me')).json().full_name}`,
      url: stored.content.url,
      due_at: null,
    },
  })
  assert.throws(() =>
    new Webhook(secret).verify(`${request.body} `, request.headers as Record<string, string>),
  )
})

test('a failed request is retried with the same id until the receiver accepts it', async () => {
  await startSenders()
  const replies: (Reply | 'hang up')[] = [{ status: 500 }, 'hang up', { status: 404 }]
  receiver.reply = () => replies.shift() ?? { status: 200 }
  const order = await createOrder('A-2')
  for (const error of [/^webhook: 500$/, /^webhook: .*hang up/, /^webhook: 404$/]) {
    const { id, last_error } = await settledAs(order, 'failed')
    assert.match(last_error ?? '', error)
    await service.ask('POST', `/api/deliveries/${id}/retry`)
    await until('the delivery was tried', async () => {
      const now = await deliveryOf(order)
      return now?.last_error !== last_error || now.status === 'sent'
    })
  }
  await settledAs(order, 'sent')
  assert.equal(receiver.received.length, 4)
  assert.equal(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size, 1)
})

test('Retry-After delays the next try, and 410 makes the delivery dead', async () => {
  await startSenders()
  receiver.reply = () => ({ status: 429, headers: { 'Retry-After': '7200' } })
  const slow = await createOrder('A-3')
  await settledAs(slow, 'failed')
  const { rows } = await service.database.pool.query(
    `SELECT due_at > now() + interval '100 minutes' AS waits FROM docket.delivery WHERE channel = 'webhook'`,
  )
  assert.deepEqual(rows, [{ waits: true }])
  receiver.reply = () => ({ status: 410 })
  assert.equal((await settledAs(await createOrder('A-4'), 'dead')).last_error, 'webhook: 410')
})

test('a redirect is not followed', async () => {
  await startSenders()
  receiver.reply = () => ({ status: 307, headers: { Location: address() } })
  const { last_error } = await settledAs(await createOrder('A-5'), 'failed')
  assert.equal(last_error, 'webhook: 307; redirects are not followed')
  assert.equal(receiver.received.length, 1)
})

test('an address that is not public is rejected before sending', async () => {
  for (const host of ['127.0.0.1', 'localhost', '[::1]', '2130706433', '[::ffff:7f00:1]']) {
    await startSenders(settings(address('https', host), false))
    const { last_error } = await settledAs(await createOrder('A-6'), 'dead')
    assert.match(last_error ?? '', /has no public address; WEBHOOK_PRIVATE_ADDRESSES=true/)
    for (const one of senders.splice(0)) await one.stop(5_000)
  }
  assert.deepEqual(receiver.received, [])
})

test('a recipient who is not active any more gets no webhook', async () => {
  const order = await createOrder('A-7')
  await service.database.pool.query(`UPDATE records."user" SET is_active = false WHERE id = 1`)
  await startSenders()
  const dead = await until('the delivery is dead', async () => {
    const { rows } = await service.database.pool.query(
      `SELECT last_error FROM docket.delivery WHERE channel = 'webhook' AND status = 'dead'`,
    )
    return rows[0]?.last_error
  })
  await service.database.pool.query(`UPDATE records."user" SET is_active = true WHERE id = 1`)
  assert.equal(dead, 'The recipient may not use the service any more.')
  assert.deepEqual([receiver.received.length, order > 0], [0, true])
})

test('a rule with a webhook that the settings do not have prevents the start', async () => {
  await assert.rejects(
    startSenders({ WEBHOOK_URLS: `chat=${address()}`, WEBHOOK_SECRETS: `chat=${secret}` }),
    /WEBHOOK_URLS lacks "erp", which notifications\[0\] of "order" names/,
  )
  await assert.rejects(startSenders({ WEBHOOK_SECRETS: '' }), /WEBHOOK_SECRETS lacks "erp"/)
  await assert.rejects(
    startSenders({ WEBHOOK_PRIVATE_ADDRESSES: 'false' }),
    /WEBHOOK_URLS must begin with https:\/\/ in "erp"/,
  )
})
