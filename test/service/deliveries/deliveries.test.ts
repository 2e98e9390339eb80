/** Deliveries: queued with the notification, sent once, retried, dead after the last try. */
import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { transaction } from '../../../src/database/transaction.ts'
import { retryDelivery } from '../../../src/deliveries/delivery-list.ts'
import { savePreferences } from '../../../src/deliveries/preferences/preferences.ts'
import type { Email } from '../../../src/email/email.ts'
import { DeliveryError } from '../../../src/retry-policy.ts'
import * as mailings from '../../support/deliveries/a-mailing.ts'
import type { TestService } from '../../support/service.ts'
import { until, within } from '../../support/wait.ts'

let service: TestService
before(async () => {
  service = await mailings.startWithUsers()
})
after(() => service.stop())
beforeEach(() => mailings.removeMailings(service))

const rowsOf = async (text: string) => (await service.database.pool.query(text)).rows
const statuses = () => mailings.statuses(service)
const queue = (userIds: readonly number[], more: Partial<mailings.Queued> = {}) =>
  mailings.queueFor(service, userIds, more)
const startSending = (
  send: (email: Email, signal: AbortSignal) => Promise<void> | void,
  more: mailings.Limits = {},
) => mailings.startSending(service, send, more)

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
      await mailings.queueOn(connection, [2])
      throw new Error('no')
    }),
  )
  assert.deepEqual(await rowsOf('SELECT FROM docket.mailing'), [])
})

test('template data is stored unchanged, whatever characters it has', async () => {
  const data = { ...mailings.mailing.data, record: { note: 'NUL \u0000 and \ud800 half' } }
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
