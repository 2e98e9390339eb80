/** Webhooks are signed requests to a real server, which are retried until it accepts them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { addUser } from '../../support/a-project.ts'
import { roleFile } from '../../support/definitions/files.ts'
import { until } from '../../support/wait.ts'
import { openReceiver } from './a-receiver.ts'

const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
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
  'entities/plan.json': {
    key: 'plan',
    fields: [
      { key: 'number', type: 'string' },
      { key: 'total', type: 'decimal', precision: 10, scale: 2 },
      { key: 'margin', type: 'integer' },
      { key: 'buyer', type: 'manyToOne', entity: 'user' },
    ],
    hooks: [{ type: 'message', hookType: 'AfterChange', functionName: '_sendNotificationHandler' }],
    notifications: [
      {
        operation: 'create',
        webhook: 'erp',
        webhookBody: {
          text: '{{ title }} for {{ recipient.full_name }}',
          fixed: [true, 1, null],
          record: { number: '{{ record.number }}', margin: '{{ record.margin | json }}' },
          total: '{{ record.total | number: "EUR" }}',
          page: '{{ url }}',
        },
        recipient: { userFields: ['buyer', '_created_by'] },
        content: { title: 'Plan {{ record.number }}' },
      },
    ],
  },
  ...roleFile('buyer', { plan: { read: true, hiddenFields: ['margin'] } }),
}

const path = '/hooks?for=docket'
const receiver = openReceiver({
  channels: ['webhook'],
  path,
  project,
  settingsOf: (url) => ({ WEBHOOK_URLS: `erp=${url}`, WEBHOOK_SECRETS: `erp=${secret}` }),
})
const { address, answers, deliveriesOf, received, service, settings, settledAs } = receiver
const { startOwnSenders } = receiver

const createOrder = (number: string) => receiver.create('order', { number })

// Messages to rooms are posted in the same way.
test('a failed request is retried unchanged until it is accepted, and is then sent no more', async () => {
  await startOwnSenders()
  answers.push({ status: 500 }, 'hang up', { status: 404 })
  const id = await createOrder('R-1')
  for (const error of ['500$', '.*hang up', '404$']) {
    const failed = await until('the delivery has failed', async () => {
      const [one] = await deliveriesOf(id)
      const isSo = new RegExp(`^webhook: ${error}`).test(one?.last_error ?? '')
      return one?.status === 'failed' && isSo && one
    })
    await service.ask('POST', `/api/deliveries/${failed.id}/retry`)
  }
  await settledAs(id, 'sent')
  assert.equal(received.length, 4)
  assert.equal(new Set(received.map(({ body }) => body)).size, 1)
  assert.equal(new Set(received.map(({ headers }) => headers['webhook-id'])).size, 1)
})

test('Retry-After delays the next try, 410 makes the delivery dead, and a redirect is not followed', async () => {
  await startOwnSenders()
  answers.push(
    { status: 429, headers: { 'retry-after': '7200' } },
    { status: 410 },
    { status: 307, headers: { location: address() } },
  )
  await settledAs(await createOrder('R-2'), 'failed')
  const { rows } = await service.database.pool.query(
    `SELECT due_at > now() + interval '100 minutes' AS waits FROM docket.delivery WHERE channel = 'webhook'`,
  )
  assert.deepEqual(rows, [{ waits: true }])
  const dead = await settledAs(await createOrder('R-3'), 'dead')
  assert.equal(dead.last_error, 'webhook: 410')
  const { last_error } = await settledAs(await createOrder('R-4'), 'failed')
  assert.equal(last_error, 'webhook: 307; redirects are not followed')
  assert.equal(received.length, 3)
})

test('a request has the notification of the recipient and a signature of Standard Webhooks', async () => {
  await startOwnSenders()
  const order = await createOrder('A-1')
  await settledAs(order, 'sent')
  const [request] = received
  assert.ok(request && received.length === 1)
  assert.equal(request.url, path)
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

test('a body of the rule is JSON, whatever a record contains, with what each recipient may read', async () => {
  await startOwnSenders()
  const buyer = await addUser(service.database, 'a-buyer@example.com')
  const number = '"},{{ 1 }}\\'
  const id = await receiver.create('plan', {
    number,
    total: '1895.10',
    margin: 40,
    buyer_id: buyer,
  })
  await until('both are sent', async () => {
    const all = await deliveriesOf(id)
    return all.length === 2 && all.every(({ status }) => status === 'sent')
  })
  const bodies = received.map(({ body, headers }) => {
    assert.ok(new Webhook(secret).verify(body, headers))
    return JSON.parse(body)
  })
  const { full_name } = (await service.ask('GET', '/api/me')).json()
  const bodyFor = (name: string, margin: number | null) => ({
    text: `Plan ${number} for ${name}`,
    fixed: [true, 1, null],
    record: { number, margin },
    total: 'EUR 1,895.10'.replace(' ', '\u00a0'),
    page: bodies[0].page,
  })
  assert.match(bodies[0].page, new RegExp(`^http.*/console/plan/${id}$`))
  const byMargin = bodies.toSorted((a, b) => Number(a.record.margin) - Number(b.record.margin))
  assert.deepEqual(byMargin, [bodyFor('a-buyer Example', null), bodyFor(full_name, 40)])
})

test('an address that is not public is rejected before sending', async () => {
  for (const host of ['127.0.0.1', 'localhost', '[::1]']) {
    const stop = await startOwnSenders(settings(address('https', host), false))
    const { last_error } = await settledAs(await createOrder('A-6'), 'dead')
    assert.match(last_error ?? '', /has no public address; WEBHOOK_PRIVATE_ADDRESSES=true/)
    await stop()
  }
  assert.deepEqual(received, [])
})

test('a recipient who is not active any more, or blocked, gets no webhook', async () => {
  const { pool } = service.database
  const change = (values: string) => pool.query(`UPDATE records."user" SET ${values} WHERE id = 1`)
  for (const [shutOut, letIn] of [
    ['is_active = false', 'is_active = true'],
    ['is_blocked = true', 'is_blocked = false'],
  ] as const) {
    const id = await createOrder('A-7')
    await change(shutOut)
    const stop = await startOwnSenders()
    const [{ last_error }] = await until('the delivery is dead', async () => {
      const { rows } = await pool.query(
        `SELECT d.last_error FROM docket.delivery d JOIN docket.mailing m ON m.id = d.mailing_id
         WHERE d.channel = 'webhook' AND d.status = 'dead' AND m.entity_id = $1`,
        [id],
      )
      return rows.length > 0 && rows
    })
    await stop()
    await change(letIn)
    assert.equal(last_error, 'The recipient may not use the service any more.')
  }
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
