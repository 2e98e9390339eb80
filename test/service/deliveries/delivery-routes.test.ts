/** The paths of deliveries: operators list e-mails and retry them, one or many. */
import assert from 'node:assert/strict'
import { before, beforeEach, describe, test } from 'node:test'
import { invalidPaths } from '../../support/a-project.ts'
import {
  idsOfAll,
  queueFor,
  removeMailings,
  shareWithUsers,
  statuses,
} from '../../support/deliveries/a-mailing.ts'
import type { TestService } from '../../support/service.ts'

type Delivery = {
  readonly id: number
  readonly status: string
  readonly user: { readonly id: number }
}

let service: TestService
before(async () => {
  service = await shareWithUsers()
  await removeMailings(service)
  await queueFor(service, [2, 3, 4])
  await queueFor(service, [2], {
    id: 'waiting',
    operation: 'takeOwnership',
    entityId: 2,
    attachments: { printableDocuments: ['PO'], documentFunctions: [] },
  })
  await queueFor(service, [5], { id: 'of a user', entityKey: 'user', entityId: 5 })
  await service.database.pool.query(
    `UPDATE docket.delivery SET status = 'failed', tries = 2, last_error = '450 later', due_at = '2030-01-01' WHERE user_id = 3;
     UPDATE docket.delivery SET status = 'dead', tries = 8, last_error = '550 no' WHERE user_id = 4;
     UPDATE docket.delivery SET status = 'sent', tries = 1, sent_at = '2026-01-02' WHERE user_id = 5;
     INSERT INTO docket.attachment (mailing_id, position, filename, fault) SELECT id, 0, 'PO', 'no such document' FROM docket.mailing WHERE event = 'waiting'`,
  )
})

const ask = (method: string, path: string, options = {}) => service.ask(method, path, options)
const list = async (query = ''): Promise<Delivery[]> => {
  const reply = await ask('GET', `/api/deliveries${query}`)
  assert.equal(reply.status, 200, reply.text)
  assert.equal(reply.text, JSON.stringify(reply.json()), 'the answer has no blanks')
  return reply.json().data
}
const idOf = async (status: string): Promise<number> => {
  const [found] = await list(`?status=${status}`)
  return found?.id ?? assert.fail(`No delivery is ${status}.`)
}

describe('the list', () => {
  test('has the newest first, each with its status', async () => {
    const deliveries = await list()
    assert.deepEqual(
      deliveries.map(({ status, user }) => [status, user.id]),
      [
        ['sent', 5],
        ['queued', 2],
        ['dead', 4],
        ['failed', 3],
        ['queued', 2],
      ],
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
    assert.partialDeepStrictEqual(failed, {
      tries: 2,
      last_error: '450 later',
      next_try_at: '2030-01-01T00:00:00.000Z',
    })
    assert.partialDeepStrictEqual(dead, { last_error: '550 no', next_try_at: null })
    assert.partialDeepStrictEqual(sent, { sent_at: '2026-01-02T00:00:00.000Z', next_try_at: null })
  })

  test('can be filtered by status, entity and recipient, alone and together', async () => {
    const users = async (query: string) => (await list(query)).map(({ user }) => user.id)
    assert.deepEqual(await users('?status=queued'), [2, 2])
    assert.deepEqual(await users('?entity=user'), [5])
    assert.deepEqual(await users('?user=2'), [2, 2])
    assert.deepEqual(await users('?user=3&status=failed&entity=order'), [3])
    assert.deepEqual(await users('?user=3&status=sent'), [])
    assert.deepEqual(await users('?user=2147483647'), [])
    assert.deepEqual(await users('?entity=order&record=2'), [2])
    assert.deepEqual(await users('?entity=user&record=2'), [])
  })

  test('can be found by words of the address and their beginnings, whatever the case', async () => {
    const users = async (query: string) => (await list(query)).map(({ user }) => user.id)
    assert.deepEqual(await users('?q=U3%40EXAMPLE.com'), [3])
    assert.deepEqual(await users('?q=exam%20u'), [2, 4, 3, 2])
    assert.deepEqual(await users('?q=exam&status=dead'), [4])
    assert.deepEqual(await users('?q=exam&limit=1&page=3'), [3])
    for (const none of ['xample', 'u3%20u4', '...', `'%3A*%20%7C%20%26%20!%20%5C`])
      assert.deepEqual(await users(`?q=${none}`), [], none)
    const counts = (await ask('GET', '/api/deliveries/count?q=u2&entity=order')).json()
    assert.deepEqual([counts.email.queued, counts.email.dead], [2, 0])
    for (const wrong of ['x'.repeat(201), '%00'])
      assert.deepEqual(invalidPaths(await ask('GET', `/api/deliveries?q=${wrong}`), 400), ['q'])
  })

  test('takes a record only with its entity', async () => {
    for (const path of ['/api/deliveries', '/api/deliveries/count'])
      assert.deepEqual(invalidPaths(await ask('GET', `${path}?record=2`), 400), ['record'])
  })

  test('is paged', async () => {
    const pages = await Promise.all([1, 2, 3, 4].map((page) => list(`?limit=2&page=${page}`)))
    assert.deepEqual(
      pages.map((page) => page.length),
      [2, 2, 1, 0],
    )
    assert.deepEqual(pages.flat(), await list())
  })

  test('rejects invalid parameters and reports all of them', async () => {
    const query = '?status=done&user=0&limit=1001&page=x&entities=order'
    const reply = await ask('GET', `/api/deliveries${query}`)
    assert.deepEqual(invalidPaths(reply, 400).toSorted(), [
      'entities',
      'limit',
      'page',
      'status',
      'user',
    ])
    assert.equal((await ask('GET', '/api/deliveries?entity=ordre')).status, 404)
    assert.equal((await ask('GET', `/api/deliveries?status=sent'--`)).status, 400)
  })
})

describe('a delivery', () => {
  test('has the same values as in the list', async () => {
    const [first] = await list()
    const reply = await ask('GET', `/api/deliveries/${first?.id}`)
    assert.equal(reply.headers.get('content-type'), 'application/json; charset=utf-8')
    assert.deepEqual(reply.json(), first)
  })

  test('that does not exist returns 404', async () => {
    for (const id of ['999999', '2147483647']) {
      const reply = await ask('GET', `/api/deliveries/${id}`)
      assert.deepEqual(
        [reply.status, reply.json().type],
        [404, 'urn:docket:error:delivery.unknown'],
      )
    }
    for (const id of ['0', '-1', '1.5', 'x', '99999999999999999999', "1'--"])
      for (const [method, tail] of [
        ['GET', ''],
        ['POST', '/retry'],
      ] as const) {
        const { status, text } = await ask(method, `/api/deliveries/${id}${tail}`)
        assert.ok([400, 404].includes(status), `${method} ${id}: ${status} ${text}`)
      }
  })
})

describe('retry', () => {
  test('makes a failed or dead delivery due immediately', async () => {
    for (const status of ['failed', 'dead']) {
      const id = await idOf(status)
      const reply = await ask('POST', `/api/deliveries/${id}/retry`)
      assert.equal(reply.status, 200, reply.text)
      const { next_try_at, ...rest } = reply.json()
      assert.partialDeepStrictEqual(rest, { id, status: 'queued', tries: 0 })
      const due = await service.database.pool.query(
        'SELECT $1::timestamptz <= clock_timestamp() AS is_due',
        [next_try_at],
      )
      assert.deepEqual(due.rows, [{ is_due: true }])
      // A second request comes too late.
      const again = await ask('POST', `/api/deliveries/${id}/retry`)
      assert.deepEqual(
        [again.status, again.json().type],
        [409, 'urn:docket:error:delivery.not-failed'],
      )
    }
  })

  test('does not change a sent or queued delivery', async () => {
    for (const status of ['sent', 'queued']) {
      const id = await idOf(status)
      assert.equal((await ask('POST', `/api/deliveries/${id}/retry`)).status, 409)
      assert.ok((await list(`?status=${status}`)).some((delivery) => delivery.id === id))
    }
  })

  test('succeeds for one of several concurrent requests', async () => {
    const { pool } = service.database
    await pool.query(`UPDATE docket.delivery SET status = 'dead' WHERE user_id = 4`)
    const id = await idOf('dead')
    const replies = await Promise.all(
      Array.from({ length: 5 }, () => ask('POST', `/api/deliveries/${id}/retry`)),
    )
    assert.deepEqual(replies.map(({ status }) => status).toSorted(), [200, 409, 409, 409, 409])
  })
})

describe('retry of many', () => {
  beforeEach(() => removeMailings(service))
  const query = (text: string) => service.database.pool.query(text)
  const retry = (body: unknown, options = {}) =>
    service.ask('POST', '/api/deliveries/retry', { body, ...options })

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
    assert.deepEqual((await retry({ status: 'dead', channel: 'webhook' })).json().data, [])
    const first = (await retry({ status: 'dead', channel: 'email' })).json()
    assert.deepEqual([first.data.length, first.hasMore], [1000, true])
    const second = (await retry({ status: 'dead' })).json()
    assert.deepEqual([second.data.length, second.hasMore], [1, false])
    const { count } = (await query(`SELECT count(*) FROM docket.delivery WHERE status = 'dead'`))
      .rows[0]
    assert.equal(count, 0)
  })

  test('retries each once, however many ask at the same time', async () => {
    await queueFor(service, [2, 3, 4, 5, 6])
    await query(`UPDATE docket.delivery SET status = 'dead'`)
    const all = await idsOfAll(service)
    const replies = await Promise.all(
      Array.from({ length: 5 }, (_, index) =>
        retry({ ids: index % 2 === 0 ? all : all.toReversed() }),
      ),
    )
    const results = replies.flatMap((reply) => reply.json().data)
    assert.equal(results.filter(({ result }) => result === 'queued').length, all.length)
  })

  test('rejects a body without ids or status, and too many ids', async () => {
    assert.deepEqual(invalidPaths(await retry({}), 400), [''])
    assert.deepEqual(invalidPaths(await retry({ ids: [1], channel: 'email' }), 400), ['channel'])
    assert.deepEqual(invalidPaths(await retry({ status: 'sent' }), 400), ['status'])
    assert.equal((await retry({ ids: Array.from({ length: 1001 }, (_, n) => n + 1) })).status, 400)
    for (const id of [0, -1, 1.5, 'x', 2 ** 53, null])
      assert.equal((await retry({ ids: [id] })).status, 400, String(id))
  })
})
