/** Webhooks are signed requests to a real server, which are retried until it accepts them. */
import assert from 'node:assert/strict'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { after, afterEach, before, test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { createAs } from '../../support/a-project.ts'
import { startSenders } from '../../support/deliveries/a-mailing.ts'
import { startTestService, type TestService, writeProject } from '../../support/service.ts'
import { until } from '../../support/wait.ts'
import { startTestWorker, type TestWorker } from '../../support/worker.ts'

type Received = { headers: Record<string, string>; body: string; url: string | undefined }
type Answer = { readonly status: number; readonly headers?: IncomingHttpHeaders } | 'hang up'

const received: Received[] = []
/** The answers to the next requests; then all are accepted. */
const answers: Answer[] = []
const receiver = createServer(async (request, response) => {
  const { url, headers } = request
  received.push({ url, headers: headers as Record<string, string>, body: await text(request) })
  const answer = answers.shift() ?? { status: 204 }
  if (answer === 'hang up') request.socket.destroy()
  else response.writeHead(answer.status, answer.headers).end('thanks')
})

const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
const address = (scheme = 'http', host = '127.0.0.1') =>
  `${scheme}://${host}:${(receiver.address() as AddressInfo).port}/hooks?for=docket`
const settings = (url = address(), allowsPrivate = true) => ({
  WEBHOOK_URLS: `erp=${url}`,
  WEBHOOK_SECRETS: `erp=${secret}`,
  WEBHOOK_PRIVATE_ADDRESSES: String(allowsPrivate),
})
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

let service: TestService
let worker: TestWorker
before(async () => {
  await new Promise<void>((done) => receiver.listen(0, '127.0.0.1', done))
  service = await startTestService(await writeProject(project), settings())
  worker = await startTestWorker(service)
})
after(async () => {
  await worker.stop()
  await service.stop()
  receiver.closeAllConnections()
  await new Promise((done) => receiver.close(done))
})

let stopSenders: () => Promise<void> = async () => undefined
afterEach(async () => {
  await stopSenders()
  stopSenders = async () => undefined
  received.splice(0)
  answers.splice(0)
  await service.database.pool.query('TRUNCATE docket.mailing CASCADE')
})

/** Starts senders with the settings of the test. */
const startOwnSenders = async (environment: Record<string, string> = {}) => {
  stopSenders = await startSenders(service, { ...settings(), ...environment })
}

const createOrder = async (number: string): Promise<number> => {
  const { id } = await createAs(service, 'order', { number })
  await worker.settled()
  return id
}

type Delivery = { id: number; status: string; last_error: string | null; entity_id: number }

const deliveryOf = async (entityId: number): Promise<Delivery | undefined> => {
  const path = '/api/deliveries?limit=100&channel=webhook'
  const { data } = (await service.ask('GET', path)).json()
  return data.find((one: Delivery) => one.entity_id === entityId)
}
const settledAs = (entityId: number, status: string) =>
  until(`the delivery is ${status}`, async () => {
    const delivery = await deliveryOf(entityId)
    return delivery?.status === status && delivery
  })

test('a request has the notification of the recipient and a signature of Standard Webhooks', async () => {
  await startOwnSenders()
  const order = await createOrder('A-1')
  await settledAs(order, 'sent')
  const [request] = received
  assert.ok(request && received.length === 1)
  assert.equal(request.url, '/hooks?for=docket')
  const verify = (body: string) => new Webhook(secret).verify(body, request.headers)
  const [stored] = (await service.ask('GET', '/api/notifications?limit=1')).json()
  const { full_name } = (await service.ask('GET', '/api/me')).json()
  assert.deepEqual(verify(request.body), {
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
      message: `From ${full_name}`,
      url: stored.content.url,
      due_at: null,
    },
  })
  assert.throws(() => verify(`${request.body} `))
})

test('a failed request is retried with the same id until the receiver accepts it', async () => {
  await startOwnSenders()
  answers.push({ status: 500 }, 'hang up', { status: 404 }, { status: 200 })
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
  assert.equal(received.length, 4)
  assert.equal(new Set(received.map(({ headers }) => headers['webhook-id'])).size, 1)
})

test('Retry-After delays the next try, 410 makes the delivery dead, and a redirect is not followed', async () => {
  await startOwnSenders()
  answers.push(
    { status: 429, headers: { 'retry-after': '7200' } },
    { status: 410 },
    { status: 307, headers: { location: address() } },
  )
  await settledAs(await createOrder('A-3'), 'failed')
  const { rows } = await service.database.pool.query(
    `SELECT due_at > now() + interval '100 minutes' AS waits FROM docket.delivery WHERE channel = 'webhook'`,
  )
  assert.deepEqual(rows, [{ waits: true }])
  const dead = await settledAs(await createOrder('A-4'), 'dead')
  assert.equal(dead.last_error, 'webhook: 410')
  const { last_error } = await settledAs(await createOrder('A-5'), 'failed')
  assert.equal(last_error, 'webhook: 307; redirects are not followed')
  assert.equal(received.length, 3)
})

test('an address that is not public is rejected before sending', async () => {
  for (const host of ['127.0.0.1', 'localhost', '[::1]']) {
    await startOwnSenders(settings(address('https', host), false))
    const { last_error } = await settledAs(await createOrder('A-6'), 'dead')
    assert.match(last_error ?? '', /has no public address; WEBHOOK_PRIVATE_ADDRESSES=true/)
    await stopSenders()
  }
  assert.deepEqual(received, [])
})

test('a recipient who is not active any more gets no webhook', async () => {
  await createOrder('A-7')
  const { pool } = service.database
  const setActive = (value: boolean) =>
    pool.query(`UPDATE records."user" SET is_active = ${value} WHERE id = 1`)
  await setActive(false)
  await startOwnSenders()
  const lastError = `SELECT last_error FROM docket.delivery WHERE channel = 'webhook' AND status = 'dead'`
  const [{ last_error }] = await until('the delivery is dead', async () => {
    const { rows } = await pool.query(lastError)
    return rows.length > 0 && rows
  })
  await setActive(true)
  assert.equal(last_error, 'The recipient may not use the service any more.')
  assert.deepEqual(received, [])
})

test('a rule with a webhook that the settings do not have prevents the start', async () => {
  for (const [environment, message] of [
    [
      { WEBHOOK_URLS: `chat=${address()}`, WEBHOOK_SECRETS: `chat=${secret}` },
      /WEBHOOK_URLS lacks "erp", which notifications\[0\] of "order" names/,
    ],
    [{ WEBHOOK_SECRETS: '' }, /WEBHOOK_SECRETS lacks "erp"/],
    [{ WEBHOOK_PRIVATE_ADDRESSES: 'false' }, /WEBHOOK_URLS must begin with https:\/\/ in "erp"/],
  ] as const)
    await assert.rejects(startOwnSenders(environment), message)
})
