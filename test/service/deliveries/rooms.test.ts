/** A room gets one message for all recipients of an event, with what all of them may read, until its server accepts it. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { addUser } from '../../support/a-project.ts'
import { roleFile } from '../../support/definitions/files.ts'
import { openReceiver, type Received } from './a-receiver.ts'

const rule = (content: object, chat: 'slack' | 'teams') => ({
  operation: 'create',
  [chat]: { room: 'purchasing' },
  recipient: { userFields: ['_created_by', 'first', 'second'] },
  content,
})
const entity = (key: string, content: object, chat: 'slack' | 'teams' = 'slack') => ({
  [`entities/${key}.json`]: {
    key,
    name: key === 'order' ? 'Order' : 'Secret order',
    displayField: 'number',
    fields: [
      { key: 'number', type: 'string' },
      { key: 'margin', type: 'text' },
      { key: 'first', type: 'manyToOne', entity: 'user' },
      { key: 'second', type: 'manyToOne', entity: 'user' },
    ],
    hooks: [{ type: 'message', hookType: 'AfterChange', functionName: '_sendNotificationHandler' }],
    notifications: [rule(content, chat)],
  },
})
const project = {
  ...entity('order', {
    title: 'New {{ record.number }}',
    message: 'Margin: {{ record.margin }}',
    url: '/console/order/{{ record.id }}?a=1&b=2|3',
  }),
  ...entity('plan', { title: 'For {{ recipient.full_name }}', message: 'Look at it' }),
  ...entity('note', { title: 'New {{ record.number }}', message: '{{ record.margin }}' }, 'teams'),
  ...roleFile('buyer', {
    order: { read: true, hiddenFields: ['margin'] },
    plan: { read: true },
    note: { read: true },
  }),
}

const path = '/services/T0/B0/secret'
const receiver = openReceiver({
  channels: ['slack', 'teams'],
  path,
  project,
  settingsOf: (url) => ({
    SLACK_ROOM_URLS: `purchasing=${url}`,
    TEAMS_ROOM_URLS: `purchasing=${url}`,
    PUBLIC_URL: 'https://docket.localhost',
  }),
})
const { address, create, deliveriesOf, received, service } = receiver
const { answers, settings, settledAs, startOwnSenders } = receiver

let buyer: number
let other: number
before(async () => {
  buyer = await addUser(service.database, 'one-buyer@example.com')
  other = await addUser(service.database, 'other-buyer@example.com')
})

const textOf = (request: Received | undefined): string => JSON.parse(request?.body ?? '{}').text
const blocksOf = (request: Received | undefined) => JSON.parse(request?.body ?? '{}').blocks
const section = (text: string) => ({
  type: 'section',
  text: { type: 'mrkdwn', text, verbatim: true },
})

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
  const link = `https://docket.localhost/console/order/${id}?a=1&amp;b=2%7C3`
  const title = `<${link}|New A &lt;!channel&gt;>`
  assert.equal(textOf(received[0]), `${title}\nMargin:`)
  assert.deepEqual(blocksOf(received[0]), [section(`*${title}*`), section('Margin:')])
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
  assert.equal(blocksOf(received[1]).length, 1)
  const plan = await create('plan', { first_id: buyer, second_id: other })
  await settledAs(plan, 'sent')
  const link = `https://docket.localhost/console/plan/${plan}`
  assert.equal(textOf(received[2]), `<${link}|Secret order ${plan}>\nLook at it`)
})

test('a block for Slack is not longer than it reads, and its text is whole', async () => {
  await startOwnSenders()
  const id = await create('order', { number: 'A-5', margin: `${'&'.repeat(700)}\n<@U1>` })
  await settledAs(id, 'sent')
  const [, message] = blocksOf(received[0])
  assert.equal(message.text.text, `Margin: ${'&amp;'.repeat(598)}…`)
  assert.match(textOf(received[0]), /&amp;\n&lt;@U1&gt;$/)
})

test('a job that runs again queues no second message, whichever user is its first recipient', async () => {
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

test('a room in Teams gets one card, in which no text is Markdown, and not one that is too long', async () => {
  await startOwnSenders()
  const number = 'A **b** [c](https://d)'
  const note = (margin: string) => create('note', { number, margin, first_id: buyer })
  const id = await note('one\n\n{{DATE(x)}} <at>e</at>')
  await settledAs(id, 'sent')
  const run = (text: string, style: object = {}) => ({
    type: 'RichTextBlock',
    inlines: [{ type: 'TextRun', text, ...style }],
  })
  const url = `https://docket.localhost/console/note/${id}`
  const title = { weight: 'Bolder', size: 'Medium', selectAction: { type: 'Action.OpenUrl', url } }
  assert.equal(received.length, 1)
  assert.partialDeepStrictEqual(JSON.parse(received[0]?.body ?? ''), {
    type: 'message',
    attachments: [
      {
        contentType: 'application/vnd.microsoft.card.adaptive',
        content: {
          type: 'AdaptiveCard',
          body: [run(`New ${number}`, title), run('one'), run('{{DATE(x)}} <at>e</at>')],
        },
      },
    ],
  })
  answers.push({ status: 429, headers: { 'retry-after': '7200' } })
  const long = await note('"'.repeat(9_000))
  await settledAs(long, 'failed')
  const { rows } = await service.database.pool.query(
    `SELECT due_at > now() + interval '100 minutes' AS waits FROM docket.delivery WHERE channel = 'teams' AND status = 'failed'`,
  )
  assert.deepEqual(rows, [{ waits: true }])
  const { body = '' } = received[1] ?? {}
  const shown: string = JSON.parse(body).attachments[0].content.body[1].inlines[0].text
  assert.match(shown, /^"+"$/)
  const much = await note('\u{1F600}'.repeat(4_999))
  await settledAs(much, 'sent')
  assert.ok(Buffer.byteLength(received[2]?.body ?? '') < 28_000)
  assert.match(received[2]?.body ?? '', /^[^…]*\u{1F600}…"[^…]*$/u)
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
      { TEAMS_ROOM_URLS: '' },
      /TEAMS_ROOM_URLS lacks "purchasing", which notifications\[0\] of "note" names/,
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
