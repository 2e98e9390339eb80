/** Deliveries: written with the notification, sent once, tried again, dead in the end, sent once more. */
import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { transaction } from '../../src/database/transaction.ts'
import { retryDelivery } from '../../src/deliveries/delivery-list.ts'
import { savePreferences } from '../../src/deliveries/preferences/preferences.ts'
import type { Email } from '../../src/email/email.ts'
import { DeliveryError } from '../../src/retry-policy.ts'
import type { TestService } from '../support/service.ts'
import { until, within } from '../support/wait.ts'
import * as place from './a-mailing.ts'

let service: TestService
before(async () => {
  service = await place.startWithPeople()
})
after(() => service.stop())
beforeEach(() => place.empty(service))

const rowsOf = async (text: string) => (await service.database.pool.query(text)).rows
const statuses = () => place.statuses(service)
const queue = (userIds: readonly number[], more: Partial<place.Queued> = {}) =>
  place.queueFor(service, userIds, more)
const startSending = (
  send: (email: Email, signal: AbortSignal) => Promise<void> | void,
  more: place.Limits = {},
) => place.startSending(service, send, more)

test('one per person with an address, however often it is queued; the others are answered', async () => {
  assert.deepEqual(await queue([2, 3, 9]), [9])
  assert.deepEqual(await queue([2, 3, 4, 9]), [9])
  assert.deepEqual(await statuses(), ['queued', 'queued', 'queued'])
  const sending = await startSending(() => undefined)
  await until('all are sent', async () => (await statuses()).every((status) => status === 'sent'))
  await queue([2, 3, 4])
  await sending.stop()
  assert.deepEqual(sending.sent.toSorted(), ['u2@example.com', 'u3@example.com', 'u4@example.com'])
})

test('a transaction that fails leaves nothing', async () => {
  await assert.rejects(
    transaction(service.database.pool, async (connection) => {
      await place.queueOn(connection, [2])
      throw new Error('no')
    }),
  )
  assert.deepEqual(await rowsOf('SELECT FROM docket.mailing'), [])
})

test('what templates read is kept as it is, whatever text it holds', async () => {
  const data = { ...place.mailing.data, record: { note: 'NUL \u0000 and \ud800 half' } }
  await queue([2], { data })
  const [kept] = await rowsOf('SELECT data FROM docket.mailing')
  assert.deepEqual(JSON.parse(kept?.data), data)
})

test('who wants no e-mails of a kind gets none, and others of other kinds', async () => {
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

test('a fault that may pass is tried again later; Retry-After is kept to; the last one is dead', async () => {
  await queue([2])
  const busy = () => {
    throw new DeliveryError('429 slow down', { retryable: true, retryAfterMs: 3_600_000 })
  }
  const sending = await startSending(busy, { maxTries: 2 })
  await until('it has failed', async () => (await statuses())[0] === 'failed')
  const [row] = await rowsOf(
    `SELECT tries, last_error, due_at > now() + interval '59 minutes' AS waits FROM docket.delivery`,
  )
  assert.deepEqual(row, { tries: 1, last_error: '429 slow down', waits: true })
  await service.database.pool.query('UPDATE docket.delivery SET due_at = now()')
  await until('it is dead', async () => (await statuses())[0] === 'dead')
  await sending.stop()
  assert.deepEqual(
    sending.observed.map(({ kind }) => kind),
    ['deliveryFailed', 'deliveryDead'],
  )
})

test('what is refused for good is dead at once, and goes once more when an operator says so', async () => {
  await queue([2])
  let isMended = false
  const sending = await startSending(() => {
    if (!isMended) throw new DeliveryError('550 no such user', { retryable: false })
  })
  await until('it is dead', async () => (await statuses())[0] === 'dead')
  isMended = true
  const [{ id }] = await rowsOf('SELECT id FROM docket.delivery')
  assert.equal(await retryDelivery(service.database.pool, Number(id)), true)
  await until('it is sent', async () => (await statuses())[0] === 'sent')
  assert.equal(await retryDelivery(service.database.pool, Number(id)), false)
  await sending.stop()
})

test('what a killed process left is sent by another after its lease, and not before', async () => {
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

test('two processes share the work, and no e-mail goes twice', async () => {
  for (let event = 0; event < 20; event++)
    await queue([2, 3, 4, 5, 6, 7, 8], { id: `event ${event}` })
  const both = await Promise.all([startSending(() => undefined), startSending(() => undefined)])
  await until('all are sent', async () => (await statuses()).every((status) => status === 'sent'))
  await Promise.all(both.map(({ stop }) => stop()))
  assert.equal(both.flatMap(({ sent }) => sent).length, 140)
  assert.deepEqual(await rowsOf('SELECT DISTINCT tries FROM docket.delivery'), [{ tries: 1 }])
})

test('e-mails with attachments wait until these are made', async () => {
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

test('a stop lets what is being sent end', async () => {
  await queue([2])
  const taken = Promise.withResolvers<void>()
  const goOn = Promise.withResolvers<void>()
  const sending = await startSending(async () => {
    taken.resolve()
    await goOn.promise
  })
  await within('one is taken', taken.promise)
  const stopped = sending.stop()
  goOn.resolve()
  await stopped
  assert.deepEqual(await statuses(), ['sent'])
})
