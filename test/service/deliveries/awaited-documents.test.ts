/** E-mails that wait for their documents: one job per mailing, and every e-mail is released. */
import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { transaction } from '../../../src/database/transaction.ts'
import { releaseMailing } from '../../../src/deliveries/attachments/attachment-store.ts'
import { awaitAttachments, takeDeliveries } from '../../../src/deliveries/delivery-store.ts'
import {
  queueFor,
  queueOn,
  removeMailings,
  startWithUsers,
} from '../../support/deliveries/a-mailing.ts'
import type { TestService } from '../../support/service.ts'
import { until, within } from '../../support/wait.ts'

let service: TestService
before(async () => {
  service = await startWithUsers()
})
after(() => service.stop())
beforeEach(() => removeMailings(service))

const countOf = async (from: string) =>
  Number((await service.database.pool.query(`SELECT count(*) FROM ${from}`)).rows[0].count)
const attachJobs = `graphile_worker.jobs WHERE task_identifier = 'email.attach'`
const waiting = `docket.delivery WHERE due_at = 'infinity'`
const removeJobs = `DELETE FROM graphile_worker._private_jobs`

/** Lets all due e-mails wait for the documents of another audience. */
const awaitAll = async () => {
  const { pool } = service.database
  const taken = await takeDeliveries(pool, 'email', { limit: 100, mayTakeOver: false })
  await Promise.all(taken.map((one) => awaitAttachments(pool, one, 'other')))
  return taken.length
}

test('the e-mails of a mailing that wait for documents share one job', async () => {
  await queueFor(service, [2, 3, 4, 5, 6, 7, 8])
  assert.equal(await awaitAll(), 7)
  assert.deepEqual([await countOf(waiting), await countOf(attachJobs)], [7, 1])
  await queueFor(service, [2, 3, 4], { id: 'other' })
  await awaitAll()
  assert.equal(await countOf(attachJobs), 2)
})

test('an e-mail that starts to wait while the job ends is released by it or gets another job', async () => {
  const { pool } = service.database
  await queueFor(service, [2, 3, 4, 5, 6, 7, 8])
  const { rows } = await pool.query('SELECT id::int FROM docket.mailing')
  for (let round = 0; round < 40; round++) {
    const [first] = await takeDeliveries(pool, 'email', { limit: 1, mayTakeOver: false })
    assert.ok(first)
    await awaitAttachments(pool, first, 'other')
    // The job is running: a job that is added from here on is a new one.
    await pool.query(removeJobs)
    await Promise.all([awaitAll(), releaseMailing(pool, rows[0].id)])
    const [left, jobs] = [await countOf(waiting), await countOf(attachJobs)]
    assert.ok(left === 0 || jobs === 1, `${left} e-mails wait, and there are ${jobs} jobs`)
    await pool.query(removeJobs)
    await releaseMailing(pool, rows[0].id)
  }
})

const withDocument = { attachments: { printableDocuments: ['order'] } }

test('an e-mail that is queued while its mailing is released is released too', async () => {
  const { pool } = service.database
  await queueFor(service, [2], withDocument)
  const { rows } = await pool.query('SELECT id::int FROM docket.mailing')
  let release: Promise<void> | undefined
  await transaction(pool, async (connection) => {
    await queueOn(connection, [3], withDocument)
    release = releaseMailing(pool, rows[0].id)
    await until('the release waits', async () => {
      const text = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`
      return (await pool.query(text)).rowCount === 1
    })
  })
  await release
  assert.equal(await countOf(waiting), 0)
})

test('batches of one event are queued at the same time', async () => {
  const { pool } = service.database
  await pool.query(removeJobs)
  await queueFor(service, [2], withDocument)
  await transaction(pool, async (connection) => {
    await queueOn(connection, [3], withDocument)
    const other = transaction(pool, (second) => queueOn(second, [4], withDocument))
    await within('the other batch is queued', other)
  })
  assert.deepEqual([await countOf(waiting), await countOf(attachJobs)], [3, 1])
})
