/** What administrators see of a delivery: the message as it was sent, or as it would be sent now; and the counts. */
import assert from 'node:assert/strict'
import { before, beforeEach, describe, test } from 'node:test'
import {
  accept,
  idsOfAll,
  mailing,
  type Queued,
  queueFor,
  removeMailings,
  sendUntil,
  shareWithUsers,
} from '../../support/deliveries/a-mailing.ts'
import type { TestService } from '../../support/service.ts'

let service: TestService
before(async () => {
  service = await shareWithUsers()
})
beforeEach(() => removeMailings(service))

const get = async (path: string) => (await service.ask('GET', `/api/deliveries${path}`)).json()
const query = (text: string) => service.database.pool.query(text)
/** Queues an e-mail to a user; returns the id of the delivery. */
const queue = async (userId: number, more: Partial<Queued> = {}) => {
  await queueFor(service, [userId], more)
  const [id] = await idsOfAll(service)
  return id ?? assert.fail()
}
const messageOf = async (id: number) => {
  const reply = await service.ask('GET', `/api/deliveries/${id}/message`)
  assert.equal(reply.status, 200, reply.text)
  return reply.json()
}
const assertNotComposed = async (id: number, message = 'message') => {
  const reply = await service.ask('GET', `/api/deliveries/${id}/${message}`)
  assert.deepEqual([reply.status, reply.json().code], [409, 'delivery.not-composed'])
}
const dataWith = (number: string) => ({ data: { ...mailing.data, record: { number } } })

describe('the message of a delivery', () => {
  test('that was sent is the one that the provider accepted, also after the address changed', async () => {
    const setAddress = (name: string) =>
      query(`UPDATE records."user" SET email = '${name}@example.com' WHERE id = 2`)
    const id = await queue(2)
    await sendUntil(service, 'sent')
    await setAddress('new')
    const message = await messageOf(id)
    assert.partialDeepStrictEqual(message, {
      ...{ id, channel: 'email', as_sent: true, address: 'u2@example.com' },
      ...{ attachments: [], template: null },
    })
    assert.equal(message.headers.To, '"x" <u2@example.com>')
    const [listed] = (await get('')).data
    assert.deepEqual([listed.address, listed.subject], ['u2@example.com', message.subject])
    const found = async (q: string) => (await get(`?q=${encodeURIComponent(q)}`)).data.length
    assert.deepEqual([await found(`${message.subject} u2`), await found('new')], [1, 0])
    await setAddress('u2')
  })

  test('that waits is composed now, and changes nothing', async () => {
    const id = await queue(3, dataWith('PO-7'))
    const { rows } = await query('SELECT * FROM docket.delivery')
    const message = await messageOf(id)
    assert.partialDeepStrictEqual(message, { as_sent: false, address: 'u3@example.com' })
    assert.match(message.html, /<html/i)
    assert.match(message.headers['List-Unsubscribe'], /^<http/)
    assert.deepEqual((await query('SELECT * FROM docket.delivery')).rows, rows)
    // As a page for a frame of the console, without scripts and images from elsewhere.
    const page = await service.ask('GET', `/api/deliveries/${id}/message.html`)
    assert.deepEqual([page.status, page.text], [200, message.html])
    assert.equal(page.headers.get('content-type'), 'text/html; charset=utf-8')
    const policy = (page.headers.get('content-security-policy') ?? '').split('; ')
    for (const part of ['sandbox', "default-src 'none'", 'img-src data:', "frame-ancestors 'self'"])
      assert.ok(policy.includes(part), part)
  })

  test('that an earlier attempt had sent is composed, because that one is not known', async () => {
    const id = await queue(4)
    await query('UPDATE docket.delivery SET tries = 1')
    await sendUntil(service, 'sent', accept, { hasTaken: async () => true })
    assert.equal((await messageOf(id)).as_sent, false)
  })

  test('of a recipient who was blocked cannot be composed', async () => {
    const id = await queue(5)
    await query('UPDATE records."user" SET is_blocked = true WHERE id = 5')
    await assertNotComposed(id)
    await query('UPDATE records."user" SET is_blocked = false WHERE id = 5')
  })

  test('with megabytes of a record is not composed, so that no request waits for it', async () => {
    const id = await queue(6, dataWith('x'.repeat(300_000)))
    await assertNotComposed(id)
    await sendUntil(service, 'sent')
    assert.equal((await messageOf(id)).as_sent, true)
  })

  test('names attachments with their faults, and waits for those that are not created', async () => {
    const attachments = { printableDocuments: ['PO'], documentFunctions: [] }
    // An administrator, whose attachments are those of everybody who may read everything.
    const id = await queue(1, { attachments })
    await assertNotComposed(id)
    await query(
      `INSERT INTO docket.mailing_audience (mailing_id, audience)
       SELECT mailing_id, audience FROM docket.delivery;
       INSERT INTO docket.attachment (mailing_id, position, filename, fault)
       SELECT mailing_id, 0, 'PO', 'no such document' FROM docket.delivery`,
    )
    const message = await messageOf(id)
    const faults = [{ filename: 'PO', fault: 'no such document' }]
    assert.partialDeepStrictEqual(message.attachments, faults)
    assert.match(message.text, /PO/)
  })

  test('of a webhook is its request, with the name of the webhook as address and no HTML', async () => {
    const id = await queue(2)
    await query(`UPDATE docket.delivery SET channel = 'webhook', target = 'erp'`)
    const message = await messageOf(id)
    assert.partialDeepStrictEqual(message, { channel: 'webhook', address: 'erp', subject: null })
    assert.equal(JSON.parse(message.text).data.entity_key, 'order')
    assert.equal((await get(`/${id}`)).address, 'erp')
    assert.equal((await get('?channel=webhook')).data.length, 1)
    assert.equal((await get('?channel=email')).data.length, 0)
    await assertNotComposed(id, 'message.html')
  })
})

test('the count has every channel and status', async () => {
  await queueFor(service, [2, 3, 4])
  await query(`UPDATE docket.delivery SET status = 'dead' WHERE user_id = 4`)
  const none = { queued: 0, sending: 0, sent: 0, failed: 0, dead: 0 }
  const emails = async (choice: string) => (await get(`/count?${choice}`)).email
  assert.deepEqual(await get('/count'), { email: { ...none, queued: 2, dead: 1 }, webhook: none })
  assert.deepEqual(await emails('entity=order&record=1&user=4'), { ...none, dead: 1 })
  await query(`UPDATE docket.delivery SET status = 'sent' WHERE user_id <> 4`)
  assert.deepEqual(await emails(''), { ...none, sent: 2, dead: 1 })
  for (const choice of ['sentLimit=1', 'sentLimit=1&entity=order'])
    assert.deepEqual(await emails(choice), { ...none, sent: 1, dead: 1 })
  assert.equal((await emails('sentLimit=5&user=3')).sent, 1)
})
