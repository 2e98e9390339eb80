/** What administrators see of a delivery: the message as it was sent, or as it would be sent now. */
import assert from 'node:assert/strict'
import { before, beforeEach, describe, test } from 'node:test'
import {
  idsOfAll,
  mailing,
  queueFor,
  removeMailings,
  shareWithUsers,
  startSending,
  statuses,
} from '../../support/deliveries/a-mailing.ts'
import type { TestService } from '../../support/service.ts'
import { until } from '../../support/wait.ts'

let service: TestService
before(async () => {
  service = await shareWithUsers()
})
beforeEach(() => removeMailings(service))

const ask = (method: string, path: string, options = {}) => service.ask(method, path, options)
const query = (text: string) => service.database.pool.query(text)
const messageOf = async (id: number | undefined) => {
  const reply = await ask('GET', `/api/deliveries/${id}/message`)
  assert.equal(reply.status, 200, reply.text)
  return reply.json()
}
const sendAll = async () => {
  const sender = await startSending(service, () => undefined)
  await until('all are sent', async () =>
    (await statuses(service)).every((status) => status === 'sent'),
  )
  await sender.stop()
}

describe('the message of a delivery', () => {
  test('that was sent is the one that the provider accepted, also after the address changed', async () => {
    await queueFor(service, [2])
    await sendAll()
    await query(`UPDATE records."user" SET email = 'new@example.com' WHERE id = 2`)
    const [id] = await idsOfAll(service)
    const message = await messageOf(id)
    assert.partialDeepStrictEqual(message, {
      ...{ id, channel: 'email', as_sent: true, address: 'u2@example.com' },
      ...{ attachments: [], template: null },
    })
    assert.equal(message.headers.To, '"x" <u2@example.com>')
    const [listed] = (await ask('GET', '/api/deliveries')).json().data
    assert.deepEqual([listed.address, listed.subject], ['u2@example.com', message.subject])
    const found = async (q: string) => (await ask('GET', `/api/deliveries?q=${q}`)).json().data
    assert.equal((await found(encodeURIComponent(`${message.subject} u2`))).length, 1)
    assert.deepEqual(await found('new'), [])
    await query(`UPDATE records."user" SET email = 'u2@example.com' WHERE id = 2`)
  })

  test('that waits is composed now, and changes nothing', async () => {
    await queueFor(service, [3], {
      data: { ...mailing.data, record: { number: 'PO-7' } },
    })
    const [id] = await idsOfAll(service)
    const before = await query('SELECT * FROM docket.delivery')
    const message = await messageOf(id)
    assert.partialDeepStrictEqual(message, { as_sent: false, address: 'u3@example.com' })
    assert.match(message.html, /<html/i)
    assert.match(message.headers['List-Unsubscribe'], /^<http/)
    assert.deepEqual((await query('SELECT * FROM docket.delivery')).rows, before.rows)
    assert.deepEqual(await statuses(service), ['queued'])
  })

  test('that an earlier attempt had sent is composed, because that one is not known', async () => {
    await queueFor(service, [4])
    await query('UPDATE docket.delivery SET tries = 1')
    const sender = await startSending(service, () => undefined, { hasTaken: async () => true })
    await until('it is sent', async () => (await statuses(service))[0] === 'sent')
    await sender.stop()
    assert.equal((await messageOf((await idsOfAll(service))[0])).as_sent, false)
  })

  test('of a recipient who was blocked cannot be composed', async () => {
    await queueFor(service, [5])
    await query('UPDATE records."user" SET is_blocked = true WHERE id = 5')
    const [id] = await idsOfAll(service)
    const reply = await ask('GET', `/api/deliveries/${id}/message`)
    assert.deepEqual([reply.status, reply.json().code], [409, 'delivery.not-composed'])
    await query('UPDATE records."user" SET is_blocked = false WHERE id = 5')
  })

  test('with megabytes of a record is not composed, so that no request waits for it', async () => {
    await queueFor(service, [6], {
      data: { ...mailing.data, record: { number: 'x'.repeat(300_000) } },
    })
    const [id] = await idsOfAll(service)
    const reply = await ask('GET', `/api/deliveries/${id}/message`)
    assert.deepEqual([reply.status, reply.json().code], [409, 'delivery.not-composed'])
    await sendAll()
    assert.equal((await messageOf(id)).as_sent, true)
  })

  test('names attachments with their faults, and waits for those that are not created', async () => {
    const attachments = { printableDocuments: ['PO'], documentFunctions: [] }
    // An administrator, whose attachments are those of everybody who may read everything.
    await queueFor(service, [1], { attachments })
    const [id] = await idsOfAll(service)
    const waiting = await ask('GET', `/api/deliveries/${id}/message`)
    assert.deepEqual([waiting.status, waiting.json().code], [409, 'delivery.not-composed'])
    await query(
      `INSERT INTO docket.mailing_audience (mailing_id, audience)
       SELECT mailing_id, audience FROM docket.delivery;
       INSERT INTO docket.attachment (mailing_id, position, filename, fault)
       SELECT mailing_id, 0, 'PO', 'no such document' FROM docket.delivery`,
    )
    const message = await messageOf(id)
    assert.partialDeepStrictEqual(message.attachments, [
      { filename: 'PO', fault: 'no such document' },
    ])
    assert.match(message.text, /PO/)
  })

  test('of a webhook is its request, with the name of the webhook as address', async () => {
    await queueFor(service, [2])
    await query(`UPDATE docket.delivery SET channel = 'webhook', target = 'erp'`)
    const [id] = await idsOfAll(service)
    const message = await messageOf(id)
    assert.partialDeepStrictEqual(message, { channel: 'webhook', address: 'erp', subject: null })
    assert.equal(JSON.parse(message.text).data.entity_key, 'order')
    assert.equal((await ask('GET', `/api/deliveries/${id}`)).json().address, 'erp')
    const { data } = (await ask('GET', '/api/deliveries?channel=webhook')).json()
    assert.deepEqual(data.length, 1)
    assert.deepEqual((await ask('GET', '/api/deliveries?channel=email')).json().data, [])
  })
})

describe('the HTML of an e-mail', () => {
  const htmlOf = (id: number | undefined) => ask('GET', `/api/deliveries/${id}/message.html`)

  test('is a page for a frame of the console, without scripts and images from elsewhere', async () => {
    await queueFor(service, [2])
    const [id] = await idsOfAll(service)
    const reply = await htmlOf(id)
    assert.equal(reply.status, 200)
    assert.equal(reply.text, (await messageOf(id)).html)
    assert.equal(reply.headers.get('content-type'), 'text/html; charset=utf-8')
    const policy = (reply.headers.get('content-security-policy') ?? '').split('; ')
    for (const part of ['sandbox', "default-src 'none'", 'img-src data:', "frame-ancestors 'self'"])
      assert.ok(policy.includes(part), part)
  })

  test('is a 409 for a webhook, which has none', async () => {
    await queueFor(service, [2])
    await query(`UPDATE docket.delivery SET channel = 'webhook', target = 'erp'`)
    const reply = await htmlOf((await idsOfAll(service))[0])
    assert.deepEqual([reply.status, reply.json().code], [409, 'delivery.not-composed'])
  })
})

test('the count has every channel and status', async () => {
  await queueFor(service, [2, 3, 4])
  await query(`UPDATE docket.delivery SET status = 'dead' WHERE user_id = 4`)
  const none = { queued: 0, sending: 0, sent: 0, failed: 0, dead: 0 }
  assert.deepEqual((await ask('GET', '/api/deliveries/count')).json(), {
    email: { ...none, queued: 2, dead: 1 },
    webhook: none,
  })
  const ofOne = await ask('GET', '/api/deliveries/count?entity=order&record=1&user=4')
  assert.deepEqual(ofOne.json().email, { ...none, dead: 1 })
  await query(`UPDATE docket.delivery SET status = 'sent' WHERE user_id <> 4`)
  const sentOf = async (choice: string) =>
    (await ask('GET', `/api/deliveries/count?${choice}`)).json().email
  assert.deepEqual(await sentOf(''), { ...none, sent: 2, dead: 1 })
  for (const choice of ['sentLimit=1', 'sentLimit=1&entity=order'])
    assert.deepEqual(await sentOf(choice), { ...none, sent: 1, dead: 1 })
  assert.deepEqual((await sentOf('sentLimit=5&user=3')).sent, 1)
  for (const wrong of ['0', '1000001', 'x'])
    assert.equal((await ask('GET', `/api/deliveries/count?sentLimit=${wrong}`)).status, 400)
})
