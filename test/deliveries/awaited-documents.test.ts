/** E-mails whose documents are not made yet for whom they go to: one job for all, and none is forgotten. */
import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { releaseMailing } from '../../src/deliveries/attachments/attachment-store.ts'
import { awaitAttachments, takeDeliveries } from '../../src/deliveries/delivery-store.ts'
import type { TestService } from '../support/service.ts'
import { empty, queueFor, startWithPeople } from './a-mailing.ts'

let service: TestService
before(async () => {
  service = await startWithPeople()
})
after(() => service.stop())
beforeEach(() => empty(service))

const countOf = async (from: string) =>
  Number((await service.database.pool.query(`SELECT count(*) FROM ${from}`)).rows[0].count)
const attaching = `graphile_worker.jobs WHERE task_identifier = 'email.attach'`
const waiting = `docket.delivery WHERE due_at = 'infinity'`
const takenAway = `DELETE FROM graphile_worker._private_jobs`

/** All that are due find that their documents are another audience's. */
const awaitAll = async () => {
  const { pool } = service.database
  const taken = await takeDeliveries(pool, 'email', { limit: 100, mayTakeOver: false })
  await Promise.all(taken.map((one) => awaitAttachments(pool, one, 'other')))
  return taken.length
}

test('e-mails of a mailing that wait for documents have one job together', async () => {
  await queueFor(service, [2, 3, 4, 5, 6, 7, 8])
  assert.equal(await awaitAll(), 7)
  assert.deepEqual([await countOf(waiting), await countOf(attaching)], [7, 1])
  await queueFor(service, [2, 3, 4], { id: 'other' })
  await awaitAll()
  assert.equal(await countOf(attaching), 2)
})

test('who begins to wait as the job ends is released by it, or has another job', async () => {
  const { pool } = service.database
  await queueFor(service, [2, 3, 4, 5, 6, 7, 8])
  const { rows } = await pool.query('SELECT id::int FROM docket.mailing')
  for (let round = 0; round < 40; round++) {
    const [first] = await takeDeliveries(pool, 'email', { limit: 1, mayTakeOver: false })
    assert.ok(first)
    await awaitAttachments(pool, first, 'other')
    // The job is taken: what is made from here on is a new one.
    await pool.query(takenAway)
    await Promise.all([awaitAll(), releaseMailing(pool, rows[0].id)])
    const [left, jobs] = [await countOf(waiting), await countOf(attaching)]
    assert.ok(left === 0 || jobs === 1, `${left} wait, and there are ${jobs} jobs`)
    await pool.query(takenAway)
    await releaseMailing(pool, rows[0].id)
  }
})
