/** A room gets one message for all recipients of an event, with what all of them may read, until its server accepts it. */
import assert from 'node:assert/strict'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { after, afterEach, before, test } from 'node:test'
import { addUser, createAs } from '../../support/a-project.ts'
import { startSenders } from '../../support/deliveries/a-mailing.ts'
import { startTestService, type TestService, writeProject } from '../../support/service.ts'
import { until } from '../../support/wait.ts'
import { startTestWorker, type TestWorker } from '../../support/worker.ts'

type Received = { headers: IncomingHttpHeaders; body: string; url: string | undefined }
type Answer = { readonly status: number; readonly headers?: IncomingHttpHeaders } | 'hang up'

const received: Received[] = []
/** The answers to the next requests; then all are accepted. */
const answers: Answer[] = []
const receiver = createServer(async (request, response) => {
  const { url, headers } = request
  received.push({ url, headers, body: await text(request) })
  const answer = answers.shift() ?? { status: 200 }
  if (answer === 'hang up') request.socket.destroy()
  else response.writeHead(answer.status, answer.headers).end('ok')
})

const path = '/services/T0/B0/secret'
const address = (scheme = 'http', host = '127.0.0.1') =>
  `${scheme}://${host}:${(receiver.address() as AddressInfo).port}${path}`
const settings = (url = address(), allowsPrivate = true) => ({
  SLACK_ROOM_URLS: `purchasing=${url}`,
  WEBHOOK_PRIVATE_ADDRESSES: String(allowsPrivate),
  PUBLIC_URL: 'https://docket.example.com',
})

const rule = (content: object) => ({
  operation: 'create',
  slack: { room: 'purchasing' },
  recipient: { userFields: ['_created_by', 'first', 'second'] },
  content,
})
const entity = (key: string, content: object) => ({
  [`entities/${key}.json`]: {
    key,
    name: key === 'order' ? 'Order' : 'Secret order',
    displayField: 'number',
    fields: [
      { key: 'number', type: 'string' },
      { key: 'margin', type: 'string' },
      { key: 'first', type: 'manyToOne', entity: 'user' },
      { key: 'second', type: 'manyToOne', entity: 'user' },
    ],
    hooks: [{ type: 'message', hookType: 'AfterChange', functionName: '_sendNotificationHandler' }],
    notifications: [rule(content)],
  },
})
const project = {
  ...entity('order', {
    title: 'New {{ record.number }}',
    message: 'Margin: {{ record.margin }}',
    url: '/console/order/{{ record.id }}?a=1&b=2|3',
  }),
  ...entity('plan', { title: 'For {{ recipient.full_name }}', message: 'Look at it' }),
  'roles/buyer.json': {
    key: 'buyer',
    permissions: { order: { read: true, hiddenFields: ['margin'] }, plan: { read: true } },
  },
}

let service: TestService
let worker: TestWorker
let buyer: number
let other: number
before(async () => {
  await new Promise<void>((done) => receiver.listen(0, '127.0.0.1', done))
  service = await startTestService(await writeProject(project), settings())
  buyer = await addUser(service.database, 'one-buyer@example.com')
  other = await addUser(service.database, 'other-buyer@example.com')
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

const create = async (key: string, values: Record<string, unknown>): Promise<number> => {
  const { id } = await createAs(service, key, values)
  await worker.settled()
  return id
}

type Delivery = { id: number; status: string; last_error: string | null; entity_id: number }

const deliveriesOf = async (entityId: number): Promise<Delivery[]> => {
  const { data } = (await service.ask('GET', '/api/deliveries?limit=100&channel=slack')).json()
  return data.filter((one: Delivery) => one.entity_id === entityId)
}
const settledAs = (entityId: number, status: string) =>
  until(`the delivery is ${status}`, async () => {
    const [delivery] = await deliveriesOf(entityId)
    return delivery?.status === status && delivery
  })
const textOf = (request: Received | undefined): string => JSON.parse(request?.body ?? '{}').text

test('three recipients are one message, escaped, with a link to the record', async () => {
  await startOwnSenders()
  const id = await create('order', {
    number: 'A <!channel>',
    first_id: buyer,
    second_id: other,
  })
  const { id: delivery } = await settledAs(id, 'sent')
  assert.equal(received.length, 1)
  assert.equal((await deliveriesOf(id)).length, 1)
  assert.equal(received[0]?.url, path)
  const link = `https://docket.example.com/console/order/${id}?a=1&amp;b=2%7C3`
  assert.equal(textOf(received[0]), `<${link}|New A &lt;!channel&gt;>\nMargin:`)
  const message = (await service.ask('GET', `/api/deliveries/${delivery}/message`)).json()
  assert.partialDeepStrictEqual(message, {
    address: 'purchasing',
    subject: 'New A <!channel>',
    text: received[0]?.body,
  })
  const shown = (await service.ask('GET', `/api/deliveries/${delivery}`)).text
  // A message to a room is not one to the first recipient.
  const { data } = (await service.ask('GET', `/order/${id}/notified`)).json()
  assert.doesNotMatch(JSON.stringify(data), /slack/)
  assert.equal(data[0].count, 3)
  assert.doesNotMatch(shown + JSON.stringify(message), /T0\/B0\/secret/)
})

test('a part that recipients may not read alike, or that names them, is left out', async () => {
  await startOwnSenders()
  const alone = await create('order', { number: 'A-2', margin: '40 %' })
  await settledAs(alone, 'sent')
  assert.match(textOf(received[0]), /A-2>\nMargin: 40 %$/)
  const together = await create('order', { number: 'A-3', margin: '40 %', first_id: buyer })
  await settledAs(together, 'sent')
  assert.match(textOf(received[1]), /A-3>$/)
  const plan = await create('plan', { first_id: buyer, second_id: other })
  await settledAs(plan, 'sent')
  const link = `https://docket.example.com/console/plan/${plan}`
  assert.equal(textOf(received[2]), `<${link}|Secret order ${plan}>\nLook at it`)
})

test('a job that runs again queues no second message, whoever is its first recipient', async () => {
  await startOwnSenders()
  const id = await create('order', { number: 'A-4', first_id: buyer })
  await settledAs(id, 'sent')
  const { pool } = service.database
  const again = `INSERT INTO docket.delivery (channel, mailing_id, user_id, notification_id, target, shared)
SELECT channel, mailing_id, ${other}, notification_id, target, shared FROM docket.delivery WHERE channel = 'slack'
ON CONFLICT DO NOTHING`
  assert.equal((await pool.query(again)).rowCount, 0)
  assert.equal(received.length, 1)
})

test('a failed message is retried until it is accepted, and is then sent no more', async () => {
  await startOwnSenders()
  answers.push({ status: 500 }, 'hang up', { status: 404 })
  const id = await create('order', { number: 'A-5' })
  for (const error of [/^slack: 500$/, /^slack: .*hang up/, /^slack: 404$/]) {
    const failed = await until('the delivery has failed', async () => {
      const [one] = await deliveriesOf(id)
      return one?.status === 'failed' && error.test(one.last_error ?? '') && one
    })
    await service.ask('POST', `/api/deliveries/${failed.id}/retry`)
  }
  await settledAs(id, 'sent')
  assert.equal(received.length, 4)
  assert.equal(new Set(received.map(({ body }) => body)).size, 1)
})

test('Retry-After delays the next try, 410 makes the delivery dead, and a redirect is not followed', async () => {
  await startOwnSenders()
  answers.push(
    { status: 429, headers: { 'retry-after': '7200' } },
    { status: 410 },
    { status: 307, headers: { location: address() } },
  )
  await settledAs(await create('order', { number: 'A-6' }), 'failed')
  const { rows } = await service.database.pool.query(
    `SELECT due_at > now() + interval '100 minutes' AS waits FROM docket.delivery WHERE channel = 'slack'`,
  )
  assert.deepEqual(rows, [{ waits: true }])
  const { last_error: gone } = await settledAs(await create('order', { number: 'A-7' }), 'dead')
  assert.equal(gone, 'slack: 410')
  const { last_error } = await settledAs(await create('order', { number: 'A-8' }), 'failed')
  assert.equal(last_error, 'slack: 307; redirects are not followed')
  assert.equal(received.length, 3)
})

test('an address that is not public is rejected before sending, without naming its path', async () => {
  await startOwnSenders(settings(address('https', 'localhost'), false))
  const { last_error } = await settledAs(await create('order', { number: 'A-9' }), 'dead')
  assert.match(last_error ?? '', /localhost has no public address; WEBHOOK_PRIVATE_ADDRESSES=true/)
  assert.doesNotMatch(last_error ?? '', /secret/)
  assert.deepEqual(received, [])
})

test('a room that the setting lacks, or an address without https, prevents the start', async () => {
  for (const [environment, message] of [
    [
      { SLACK_ROOM_URLS: `sales=${address()}` },
      /SLACK_ROOM_URLS lacks "purchasing", which notifications\[0\] of "order" names/,
    ],
    [
      { WEBHOOK_PRIVATE_ADDRESSES: 'false' },
      /SLACK_ROOM_URLS must begin with https:\/\/ in "purchasing"/,
    ],
  ] as const)
    await assert.rejects(startOwnSenders(environment), (error: Error) => {
      assert.match(error.message, message)
      assert.doesNotMatch(error.message, /T0\/B0/)
      return true
    })
})
