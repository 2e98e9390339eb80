/** Deliveries: queued with the notification, sent once, retried, dead after the last try; those that wait for documents. */
import assert from 'node:assert/strict'
import { before, beforeEach, describe, test } from 'node:test'
import { transaction } from '../../../src/database/transaction.ts'
import { releaseMailing } from '../../../src/deliveries/attachments/attachment-store.ts'
import { retryDelivery } from '../../../src/deliveries/delivery-list.ts'
import { awaitAttachments, takeDeliveries } from '../../../src/deliveries/delivery-store.ts'
import { savePreferences } from '../../../src/deliveries/preferences/preferences.ts'
import { DeliveryError } from '../../../src/retry-policy.ts'
import {
  type Limits,
  mailing,
  type Queued,
  queueFor,
  queueOn,
  removeMailings,
  shareWithUsers,
  startSending as startSendingOf,
  statuses as statusesOf,
} from '../../support/deliveries/a-mailing.ts'
import type { TestService } from '../../support/service.ts'
import { until, within } from '../../support/wait.ts'

let service: TestService
before(async () => {
  service = await shareWithUsers()
})
beforeEach(() => removeMailings(service))

const rowsOf = async (text: string) => (await service.database.pool.query(text)).rows
const statuses = () => statusesOf(service)
const queue = (userIds: readonly number[], more: Partial<Queued> = {}) =>
  queueFor(service, userIds, more)
const startSending = (send: Parameters<typeof startSendingOf>[1], more: Limits = {}) =>
  startSendingOf(service, send, more)

test('each user with an address gets one e-mail, however often it is queued, and the others are returned', async () => {
  assert.deepEqual(await queue([2, 3, 9]), [9])
  assert.deepEqual(await queue([2, 3, 4, 9]), [9])
  assert.deepEqual(await statuses(), ['queued', 'queued', 'queued'])
  const sending = await startSending(() => undefined)
  await until('all are sent', async () => (await statuses()).every((status) => status === 'sent'))
  await queue([2, 3, 4])
  await sending.stop()
  assert.deepEqual(sending.sent.toSorted(), ['u2@example.com', 'u3@example.com', 'u4@example.com'])
})

test('a transaction that fails queues nothing', async () => {
  await assert.rejects(
    transaction(service.database.pool, async (connection) => {
      await queueOn(connection, [2])
      throw new Error('no')
    }),
  )
  assert.deepEqual(await rowsOf('SELECT FROM docket.mailing'), [])
})

test('template data is stored unchanged, whatever characters it has', async () => {
  const data = { ...mailing.data, record: { note: 'NUL \u0000 and \ud800 half' } }
  await queue([2], { data })
  const [kept] = await rowsOf('SELECT data FROM docket.mailing')
  assert.deepEqual(JSON.parse(kept?.data), data)
})

test('a user gets no e-mails of the kinds that their preferences exclude', async () => {
  const { pool } = service.database
  await savePreferences(pool, 2, [{ entity: 'order', operation: 'create', email: false }])
  await queue([2, 3])
  await queue([2], { id: 'other', operation: 'takeOwnership' })
  assert.deepEqual(
    (await rowsOf('SELECT user_id FROM docket.delivery ORDER BY id')).map(({ user_id }) => user_id),
    [3, 2],
  )
  await savePreferences(pool, 2, [{ entity: 'order', operation: 'create', email: true }])
  await queue([2], { id: 'third' })
  assert.equal((await statuses()).length, 3)
})

test('a retryable error is retried after Retry-After, and the delivery is dead after the last try', async () => {
  await queue([2])
  const rateLimited = () => {
    throw new DeliveryError('429 slow down', { retryable: true, retryAfterMs: 3_600_000 })
  }
  const sending = await startSending(rateLimited, { maxTries: 2 })
  await until('the delivery has failed', async () => (await statuses())[0] === 'failed')
  const [row] = await rowsOf(
    `SELECT tries, last_error, due_at > now() + interval '59 minutes' AS waits FROM docket.delivery`,
  )
  assert.deepEqual(row, { tries: 1, last_error: '429 slow down', waits: true })
  await service.database.pool.query('UPDATE docket.delivery SET due_at = now()')
  await until('the delivery is dead', async () => (await statuses())[0] === 'dead')
  await sending.stop()
  assert.deepEqual(
    sending.observed.map(({ kind }) => kind),
    ['deliveryFailed', 'deliveryDead'],
  )
})

test('an error that is not retryable makes the delivery dead, and an operator can retry it', async () => {
  await queue([2])
  let isCorrected = false
  const sending = await startSending(() => {
    if (!isCorrected) throw new DeliveryError('550 no such user', { retryable: false })
  })
  await until('the delivery is dead', async () => (await statuses())[0] === 'dead')
  isCorrected = true
  const [{ id }] = await rowsOf('SELECT id FROM docket.delivery')
  assert.equal(await retryDelivery(service.database.pool, Number(id)), true)
  await until('the e-mail is sent', async () => (await statuses())[0] === 'sent')
  assert.equal(await retryDelivery(service.database.pool, Number(id)), false)
  await sending.stop()
})

test('an e-mail of a killed process is sent by another process only after its lease', async () => {
  await queue([2, 3])
  await service.database.pool.query(
    `UPDATE docket.delivery SET status = 'sending', tries = 1, due_at = now() + CASE WHEN user_id = 2 THEN interval '-1 s' ELSE interval '5 minutes' END`,
  )
  const sending = await startSending(() => undefined)
  await until('one is sent', async () => (await statuses()).includes('sent'))
  await sending.stop()
  assert.deepEqual(sending.sent, ['u2@example.com'])
  assert.deepEqual(await statuses(), ['sent', 'sending'])
})

test('two processes share the work, and no e-mail is sent twice', async () => {
  for (let event = 0; event < 20; event++)
    await queue([2, 3, 4, 5, 6, 7, 8], { id: `event ${event}` })
  const both = await Promise.all([startSending(() => undefined), startSending(() => undefined)])
  await until('all are sent', async () => (await statuses()).every((status) => status === 'sent'))
  await Promise.all(both.map(({ stop }) => stop()))
  assert.equal(both.flatMap(({ sent }) => sent).length, 140)
  assert.deepEqual(await rowsOf('SELECT DISTINCT tries FROM docket.delivery'), [{ tries: 1 }])
})

test('e-mails with attachments wait until their attachments are stored', async () => {
  await queue([2], { attachments: { printableDocuments: [], documentFunctions: ['x'] } })
  const [{ due, state }] = await rowsOf(
    'SELECT d.due_at::text AS due, m.state FROM docket.delivery d JOIN docket.mailing m ON m.id = d.mailing_id',
  )
  assert.deepEqual([due, state], ['infinity', 'waiting'])
  const jobs = await rowsOf(
    `SELECT t.identifier FROM graphile_worker._private_jobs j JOIN graphile_worker._private_tasks t ON t.id = j.task_id`,
  )
  assert.deepEqual(jobs, [{ identifier: 'email.attach' }])
})

test('stop waits for e-mails that are being sent', async () => {
  await queue([2])
  const taken = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  const sending = await startSending(async () => {
    taken.resolve()
    await released.promise
  })
  await within('an e-mail is taken', taken.promise)
  const stopped = sending.stop()
  released.resolve()
  await stopped
  assert.deepEqual(await statuses(), ['sent'])
})

describe('e-mails that wait for their documents', () => {
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
    await queue([2, 3, 4, 5, 6, 7, 8])
    assert.equal(await awaitAll(), 7)
    assert.deepEqual([await countOf(waiting), await countOf(attachJobs)], [7, 1])
    await queue([2, 3, 4], { id: 'other' })
    await awaitAll()
    assert.equal(await countOf(attachJobs), 2)
  })

  test('an e-mail that starts to wait while the job ends is released by it or gets another job', async () => {
    const { pool } = service.database
    await queue([2, 3, 4, 5, 6, 7, 8])
    const [kept] = await rowsOf('SELECT id::int FROM docket.mailing')
    for (let round = 0; round < 15; round++) {
      const [first] = await takeDeliveries(pool, 'email', { limit: 1, mayTakeOver: false })
      assert.ok(first)
      await awaitAttachments(pool, first, 'other')
      // The job is running: a job that is added from here on is a new one.
      await pool.query(removeJobs)
      await Promise.all([awaitAll(), releaseMailing(pool, kept.id)])
      const [left, jobs] = [await countOf(waiting), await countOf(attachJobs)]
      assert.ok(left === 0 || jobs === 1, `${left} e-mails wait, and there are ${jobs} jobs`)
      await pool.query(removeJobs)
      await releaseMailing(pool, kept.id)
    }
  })

  const withDocument = { attachments: { printableDocuments: ['order'] } }

  test('an e-mail that is queued while its mailing is released is released too', async () => {
    const { pool } = service.database
    await queue([2], withDocument)
    const [kept] = await rowsOf('SELECT id::int FROM docket.mailing')
    let release: Promise<void> | undefined
    await transaction(pool, async (connection) => {
      await queueOn(connection, [3], withDocument)
      release = releaseMailing(pool, kept.id)
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
    await queue([2], withDocument)
    await transaction(pool, async (connection) => {
      await queueOn(connection, [3], withDocument)
      const other = transaction(pool, (second) => queueOn(second, [4], withDocument))
      await within('the other batch is queued', other)
    })
    assert.deepEqual([await countOf(waiting), await countOf(attachJobs)], [3, 1])
  })
})
