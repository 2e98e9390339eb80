/** Many deliveries that failed or died are retried by one request. */
import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { invalidPaths } from '../../support/a-project.ts'
import {
  idsOfAll,
  queueFor,
  removeMailings,
  startWithUsers,
  statuses,
} from '../../support/deliveries/a-mailing.ts'
import type { TestService } from '../../support/service.ts'

let service: TestService
before(async () => {
  service = await startWithUsers()
})
beforeEach(() => removeMailings(service))
after(() => service.stop())

const query = (text: string) => service.database.pool.query(text)

describe('retry of many', () => {
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
