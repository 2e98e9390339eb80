/** The paths of deliveries: operators list and count e-mails, retry one or many, and see the message as it was or would be sent. */
import assert from 'node:assert/strict'
import { before, beforeEach, describe, test } from 'node:test'
import { invalidPaths } from '../../support/a-project.ts'
import {
  accept,
  idsOfAll,
  mailing,
  type Queued,
  queueFor,
  removeMailings,
  sendUntil,
  shareWithUsers,
  statuses,
} from '../../support/deliveries/a-mailing.ts'

type Delivery = {
  readonly id: number
  readonly status: string
  readonly user: { readonly id: number }
}

const query = (text: string) => service.database.pool.query(text)
const service = await shareWithUsers()
before(async () => {
  await removeMailings(service)
  await queueFor(service, [2, 3, 4])
  await queueFor(service, [2], {
    id: 'waiting',
    operation: 'takeOwnership',
    entityId: 2,
    attachments: { printableDocuments: ['PO'], documentFunctions: [] },
  })
  await queueFor(service, [5], { id: 'of a user', entityKey: 'user', entityId: 5 })
  await query(
    `UPDATE docket.delivery SET status = 'failed', tries = 2, last_error = '450 later', due_at = '2030-01-01' WHERE user_id = 3;
     UPDATE docket.delivery SET status = 'dead', tries = 8, last_error = '550 no' WHERE user_id = 4;
     UPDATE docket.delivery SET status = 'sent', tries = 1, sent_at = '2026-01-02' WHERE user_id = 5;
     INSERT INTO docket.attachment (mailing_id, position, filename, fault) SELECT id, 0, 'PO', 'no such document' FROM docket.mailing WHERE event = 'waiting'`,
  )
})

const ask = (method: string, path: string, body?: unknown) =>
  service.ask(method, `/api/deliveries${path}`, body === undefined ? {} : { body })
const list = async (parameters = ''): Promise<Delivery[]> => {
  const reply = await ask('GET', parameters)
  assert.equal(reply.status, 200, reply.text)
  assert.equal(reply.text, JSON.stringify(reply.json()), 'the answer has no blanks')
  return reply.json().data
}
const idOf = async (status: string): Promise<number> => {
  const [found] = await list(`?status=${status}`)
  return found?.id ?? assert.fail(`No delivery is ${status}.`)
}
const codeOf = async (method: string, path: string) => {
  const reply = await ask(method, path)
  return [reply.status, reply.json().code]
}

describe('the list', () => {
  test('has the newest first, each with its status', async () => {
    const deliveries = await list()
    assert.equal(
      deliveries.map(({ status, user }) => `${status} ${user.id}`).join(),
      'sent 5,queued 2,dead 4,failed 3,queued 2',
    )
    const [sent, waiting, dead, failed] = deliveries
    const { id, created_at, ...rest } = (waiting ?? assert.fail()) as Record<string, unknown>
    assert.equal(typeof id, 'number')
    assert.match(String(created_at), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    assert.deepEqual(rest, {
      channel: 'email',
      entity_key: 'order',
      entity_id: 2,
      operation: 'takeOwnership',
      entry: '0',
      history_id: null,
      by: null,
      acting_user: null,
      user: { id: 2, full_name: 'User 2' },
      status: 'queued',
      tries: 0,
      last_error: null,
      // The time is unknown until its attachments are stored.
      next_try_at: null,
      sent_at: null,
      address: 'u2@example.com',
      subject: '',
      attachments: [
        { position: 0, filename: 'PO', mimetype: null, size: null, fault: 'no such document' },
      ],
    })
    const next_try_at = '2030-01-01T00:00:00.000Z'
    assert.partialDeepStrictEqual(failed, { tries: 2, last_error: '450 later', next_try_at })
    assert.partialDeepStrictEqual(dead, { last_error: '550 no', next_try_at: null })
    assert.partialDeepStrictEqual(sent, { sent_at: '2026-01-02T00:00:00.000Z', next_try_at: null })
  })

  const filters: readonly (readonly [parameters: string, users: readonly number[]])[] = [
    ['status=queued', [2, 2]],
    ['entity=user', [5]],
    ['user=2', [2, 2]],
    ['user=3&status=failed&entity=order', [3]],
    ['user=3&status=sent', []],
    ['entity=order&record=2', [2]],
    // By words of the address and their beginnings, whatever the case.
    ['q=U3%40EXAMPLE.com', [3]],
    ['q=exam%20u', [2, 4, 3, 2]],
    ['q=exam&status=dead', [4]],
    ['q=exam&limit=1&page=3', [3]],
    ...['xample', 'u3%20u4', '...', `'%3A*%20%7C%20%26%20!%20%5C`].map(
      (q) => [`q=${q}`, []] as const,
    ),
  ]
  test('can be filtered by status, entity, record, recipient and words, alone and together', async () => {
    for (const [parameters, users] of filters) {
      const found = (await list(`?${parameters}`)).map(({ user }) => user.id)
      assert.deepEqual(found, users, parameters)
    }
    const { email } = (await ask('GET', '/count?q=u2&entity=order')).json()
    assert.deepEqual([email.queued, email.dead], [2, 0])
  })

  test('is paged', async () => {
    const pages = await Promise.all([1, 2, 3, 4].map((page) => list(`?limit=2&page=${page}`)))
    assert.equal(pages.map((page) => page.length).join(), '2,2,1,0')
    assert.deepEqual(pages.flat(), await list())
  })

  test('rejects a record without its entity, and an unknown entity', async () => {
    for (const parameters of ['?record=2', '/count?record=2'])
      assert.deepEqual(invalidPaths(await ask('GET', parameters), 400), ['record'])
    assert.equal((await ask('GET', '?entity=ordre')).status, 404)
  })
})

test('a delivery has the same values as in the list', async () => {
  const [first] = await list()
  assert.deepEqual((await ask('GET', `/${first?.id}`)).json(), first)
})

describe('retry', () => {
  test('makes a failed or dead delivery due immediately, once', async () => {
    for (const status of ['failed', 'dead']) {
      const id = await idOf(status)
      const { next_try_at, ...rest } = (await ask('POST', `/${id}/retry`)).json(200)
      assert.partialDeepStrictEqual(rest, { id, status: 'queued', tries: 0 })
      const { rows } = await query(
        `SELECT '${next_try_at}'::timestamptz <= clock_timestamp() AS is_due`,
      )
      assert.deepEqual(rows, [{ is_due: true }])
      assert.deepEqual(await codeOf('POST', `/${id}/retry`), [409, 'delivery.not-failed'])
    }
  })

  test('does not change a sent delivery', async () => {
    const id = await idOf('sent')
    assert.deepEqual(await codeOf('POST', `/${id}/retry`), [409, 'delivery.not-failed'])
    assert.equal(await idOf('sent'), id)
  })
})

describe('retry of many', () => {
  beforeEach(() => removeMailings(service))
  const retry = (body: unknown) => ask('POST', '/retry', body)

  test('says what became of each id, in their order', async () => {
    await queueFor(service, [2, 3, 4])
    await query(`UPDATE docket.delivery SET status = 'dead' WHERE user_id = 3`)
    await query(`UPDATE docket.delivery SET status = 'failed' WHERE user_id = 4`)
    const [queued = 0, dead = 0, failed = 0] = await idsOfAll(service)
    const reply = await retry({ ids: [failed, 2_000_000_000, dead, queued, dead] })
    assert.deepEqual(reply.json(), {
      data: [
        { id: failed, result: 'queued' },
        { id: 2_000_000_000, result: 'delivery.unknown' },
        { id: dead, result: 'queued' },
        { id: queued, result: 'delivery.not-failed' },
      ],
      hasMore: false,
    })
    assert.deepEqual(await statuses(service), ['queued', 'queued', 'queued'])
  })

  test('of a status takes the oldest, at most 1,000', async () => {
    await queueFor(service, [2])
    await query(
      `INSERT INTO docket.delivery (mailing_id, user_id, notification_id, status, channel)
       SELECT mailing_id, 1000 + n, gen_random_uuid(), 'dead', 'email'
       FROM docket.delivery, generate_series(1, 1001) n`,
    )
    for (const [body, length, hasMore] of [
      [{ status: 'dead', channel: 'webhook' }, 0, false],
      [{ status: 'dead', channel: 'email' }, 1000, true],
      [{ status: 'dead' }, 1, false],
    ] as const) {
      const answer = (await retry(body)).json()
      assert.deepEqual([answer.data.length, answer.hasMore], [length, hasMore])
    }
    const { rowCount } = await query(`SELECT FROM docket.delivery WHERE status = 'dead'`)
    assert.equal(rowCount, 0)
  })

  test('retries each once, however many ask at the same time', async () => {
    await queueFor(service, [2, 3, 4, 5, 6])
    await query(`UPDATE docket.delivery SET status = 'dead'`)
    const all = await idsOfAll(service)
    const orders = [all, all.toReversed(), all, all.toReversed(), all]
    const replies = await Promise.all(orders.map((ids) => retry({ ids })))
    const results = replies.flatMap((reply) => reply.json().data)
    assert.equal(results.filter(({ result }) => result === 'queued').length, all.length)
  })

  const invalid: readonly (readonly [body: object, paths: readonly string[]])[] = [
    [{}, ['']],
    [{ ids: [1], channel: 'email' }, ['channel']],
    [{ status: 'sent' }, ['status']],
    [{ ids: Array.from({ length: 1001 }, (_, n) => n + 1) }, ['ids']],
    ...[0, 1.5, 2 ** 53].map((id) => [{ ids: [id] }, ['ids[0]']] as const),
  ]
  test('rejects a body without ids or status, and too many ids', async () => {
    for (const [body, paths] of invalid)
      assert.deepEqual(invalidPaths(await retry(body), 400), paths)
  })
})

/** Queues an e-mail to a user; returns the id of the delivery. */
const queue = async (userId: number, more: Partial<Queued> = {}) => {
  await queueFor(service, [userId], more)
  const [id] = await idsOfAll(service)
  return id ?? assert.fail()
}
const messageOf = async (id: number) => (await ask('GET', `/${id}/message`)).json(200)
const assertNotComposed = async (id: number, message = 'message') =>
  assert.deepEqual(await codeOf('GET', `/${id}/${message}`), [409, 'delivery.not-composed'])
const dataWith = (number: string) => ({ data: { ...mailing.data, record: { number } } })

describe('the message of a delivery', () => {
  beforeEach(() => removeMailings(service))

  test('that was sent is the one that the provider accepted, also after the address changed', async () => {
    const setAddress = (name: string) =>
      query(`UPDATE records."user" SET email = '${name}@example.com' WHERE id = 2`)
    const id = await queue(2)
    await sendUntil(service, 'sent')
    await setAddress('new')
    const message = await messageOf(id)
    assert.partialDeepStrictEqual(message, {
      id,
      channel: 'email',
      as_sent: true,
      address: 'u2@example.com',
      attachments: [],
      template: null,
    })
    assert.equal(message.headers.To, '"x" <u2@example.com>')
    const { subject } = message
    assert.partialDeepStrictEqual((await list())[0], { address: 'u2@example.com', subject })
    const found = async (q: string) => (await list(`?q=${encodeURIComponent(q)}`)).length
    assert.deepEqual([await found(`${subject} u2`), await found('new')], [1, 0])
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
    const page = await ask('GET', `/${id}/message.html`)
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
    assert.equal((await ask('GET', `/${id}`)).json().address, 'erp')
    assert.equal((await list('?channel=webhook')).length, 1)
    assert.equal((await list('?channel=email')).length, 0)
    await assertNotComposed(id, 'message.html')
  })
})

test('the count has every channel and status', async () => {
  await removeMailings(service)
  await queueFor(service, [2, 3, 4])
  await query(`UPDATE docket.delivery SET status = 'dead' WHERE user_id = 4`)
  const none = { queued: 0, sending: 0, sent: 0, failed: 0, dead: 0 }
  const counts = async (choice: string) => (await ask('GET', `/count?${choice}`)).json()
  const emails = async (choice: string) => (await counts(choice)).email
  assert.deepEqual(await counts(''), {
    email: { ...none, queued: 2, dead: 1 },
    webhook: none,
    slack: none,
    teams: none,
  })
  assert.deepEqual(await emails('entity=order&record=1&user=4'), { ...none, dead: 1 })
  await query(`UPDATE docket.delivery SET status = 'sent' WHERE user_id <> 4`)
  assert.deepEqual(await emails(''), { ...none, sent: 2, dead: 1 })
  for (const choice of ['sentLimit=1', 'sentLimit=1&entity=order'])
    assert.deepEqual(await emails(choice), { ...none, sent: 1, dead: 1 })
  assert.equal((await emails('sentLimit=5&user=3')).sent, 1)
})
