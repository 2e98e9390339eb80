/** Deliveries are sent once, retried and dead at last, by several processes, also when one of them ends or loses its database. */
import assert from 'node:assert/strict'
import { beforeEach, describe, test } from 'node:test'
import { createPool } from '../../../src/database/pool.ts'
import { DeliveryError } from '../../../src/outbox/delivery.ts'
import { retryDeliveries } from '../../../src/outbox/delivery-list.ts'
import type { Email } from '../../../src/outbox/email/email.ts'
import { afterwards } from '../../support/afterwards.ts'
import { startAddress } from '../../support/database-address.ts'
import {
  accept,
  queueFor,
  removeMailings,
  type Send,
  sendUntil,
  shareWithUsers,
  startSending,
  statuses,
  untilAll,
} from '../../support/deliveries/a-mailing.ts'
import { until, within } from '../../support/wait.ts'

const service = await shareWithUsers()
const { pool } = service.database
beforeEach(() => removeMailings(service))

const rowOf = async (columns: string) =>
  (await pool.query(`SELECT ${columns} FROM docket.delivery`)).rows[0]
const change = (values: string) => pool.query(`UPDATE docket.delivery SET ${values}`)
const [u2, u3] = ['u2@example.com', 'u3@example.com']

test('at most maxConcurrent e-mails are sent concurrently, and a slow one does not delay the others', async () => {
  await queueFor(service, [2, 3, 4, 5, 6, 7, 8])
  const slow = Promise.withResolvers<void>()
  let [current, maxSeen] = [0, 0]
  const sending = await startSending(service, async ({ to }) => {
    current++
    maxSeen = Math.max(maxSeen, current)
    if (to.address === u2) await slow.promise
    current--
  })
  await until('the others are sent', () => sending.sent.length === 6)
  slow.resolve()
  await untilAll(service, 'sent')
  assert.ok(maxSeen <= 3, String(maxSeen))
  assert.equal(sending.sent.at(-1), u2)
  // What is queued while the senders wait is sent too.
  for (const id of [2, 3]) {
    await queueFor(service, [id], { id: `event ${id}` })
    await untilAll(service, 'sent')
  }
  await sending.stop()
})

const refused = new TypeError('undefined is not a function')
const limited = new DeliveryError('429 slow down', { retryable: true, retryAfterMs: 3_600_000 })

test('a failure is retried after a delay that grows, or after Retry-After, until the last try', async () => {
  await queueFor(service, [2])
  let error: Error = refused
  const sending = await startSending(
    service,
    () => {
      throw error
    },
    { maxTries: 4 },
  )
  for (const [index, { after, min, max, next }] of [
    { after: refused, min: 45, max: 75, next: limited },
    { after: limited, min: 3_540, max: 3_601, next: refused },
    { after: refused, min: 700, max: 1_090, next: refused },
  ].entries()) {
    await untilAll(service, 'failed')
    const { wait, ...row } = await rowOf(
      'tries, last_error, sent_at, extract(epoch FROM due_at - now())::integer AS wait',
    )
    assert.deepEqual(row, { tries: index + 1, last_error: after.message, sent_at: null })
    assert.ok(wait >= min && wait <= max, `${wait} after ${index + 1}`)
    error = next
    await change(`status = 'queued', due_at = now()`)
  }
  await untilAll(service, 'dead')
  await sending.stop()
  const kinds = sending.observed.map(({ kind }) => kind)
  assert.deepEqual(kinds, [...Array(3).fill('deliveryFailed'), 'deliveryDead'])
})

test('an error that is not retryable makes the delivery dead, says so in one short line, and can be retried', async () => {
  await queueFor(service, [2])
  const text = `550 \0no\r\nsuch user ${'x'.repeat(5_000)}`
  await sendUntil(service, 'dead', () => {
    throw new DeliveryError(text, { retryable: false })
  })
  const { id, last_error } = await rowOf('id, last_error')
  assert.equal(last_error, `550 no such user ${'x'.repeat(983)}`)
  const retry = async () => (await retryDeliveries(pool, { ids: [Number(id)] }))[0]?.result
  assert.equal(await retry(), 'queued')
  await sendUntil(service, 'sent')
  assert.equal(await retry(), 'delivery.not-failed')
})

test('two processes share the work, and no e-mail is sent twice', async () => {
  for (let event = 0; event < 10; event++)
    await queueFor(service, [2, 3, 4, 5, 6, 7, 8], { id: `event ${event}` })
  const both = await Promise.all([startSending(service, accept), startSending(service, accept)])
  await untilAll(service, 'sent')
  await Promise.all(both.map(({ stop }) => stop()))
  assert.equal(both.flatMap(({ sent }) => sent).length, 70)
  assert.deepEqual(await rowOf('DISTINCT tries'), { tries: 1 })
})

test('stop waits for e-mails that are being sent, and after it no e-mail is taken', async () => {
  await queueFor(service, [2])
  const [taken, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const sending = await startSending(service, async () => {
    taken.resolve()
    await released.promise
  })
  await within('an e-mail is taken', taken.promise)
  const stopped = sending.stop()
  released.resolve()
  await stopped
  await queueFor(service, [3])
  assert.deepEqual(await statuses(service), ['sent', 'queued'])
})

test('stop without grace time aborts the current e-mail, and another process sends it after the lease', async () => {
  await queueFor(service, [2, 3])
  const begun = Promise.withResolvers<void>()
  let aborts = 0
  const untilAborted: Send = (_email, signal) =>
    new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => {
        aborts++
        reject(new DeliveryError('cut', { retryable: true }))
      })
      begun.resolve()
    })
  const sending = await startSending(service, untilAborted, { maxConcurrent: 1 })
  await within('sending has begun', begun.promise)
  await sending.stop(0)
  assert.equal(aborts, 1)
  assert.deepEqual((await statuses(service)).toSorted(), ['queued', 'sending'])
  assert.deepEqual(sending.observed, [])
  await change('due_at = now()')
  const { sent } = await sendUntil(service, 'sent')
  assert.deepEqual(sent.toSorted(), [u2, u3])
})

test('an e-mail of a killed process is sent by another process only after its lease', async () => {
  await queueFor(service, [2, 3])
  await change(
    `status = 'sending', tries = 1, due_at = now() + CASE WHEN user_id = 2 THEN interval '-1 s' ELSE interval '5 minutes' END`,
  )
  const sending = await startSending(service, accept)
  await until('one is sent', async () => (await statuses(service)).includes('sent'))
  await sending.stop()
  assert.deepEqual(sending.sent, [u2])
  assert.deepEqual(await statuses(service), ['sent', 'sending'])
})

test('the result of a try does not overwrite the result of a later try by another process', async () => {
  await queueFor(service, [2, 3])
  const late = Promise.withResolvers<void>()
  const first = await startSending(service, async ({ to }) => {
    await late.promise
    if (to.address === u2) throw new DeliveryError('550 no', { retryable: false })
  })
  await untilAll(service, 'sending')
  // As if the first process had been disconnected for longer than its lease.
  await change(`tries = 2, status = CASE user_id WHEN 2 THEN 'sent' ELSE 'failed' END`)
  late.resolve()
  // The other e-mail is stored as sent, though another process has tried it too.
  await untilAll(service, 'sent')
  await first.stop()
})

test('a later try asks whether the provider has already accepted the e-mail, and sends it if that is not known', async () => {
  await queueFor(service, [2, 3, 4])
  await change(`status = 'sending', tries = 1, due_at = now()`)
  // A first try does not ask.
  await queueFor(service, [5], { id: 'other' })
  const answers = [true, false, undefined]
  let asked = 0
  const hasTaken = async () => answers[asked++] ?? assert.fail('403')
  const { sent } = await sendUntil(service, 'sent', accept, { maxConcurrent: 1, hasTaken })
  assert.deepEqual([asked, sent.length, sent.includes('u5@example.com')], [3, 3, true])
})

test('an e-mail whose senders all end during the send is dead after the last try', async () => {
  await queueFor(service, [2])
  await change(`status = 'sending', tries = 8, due_at = now()`)
  assert.deepEqual((await sendUntil(service, 'dead')).sent, [])
  assert.deepEqual(await rowOf('last_error'), {
    last_error: 'The process that ran it ended.',
  })
})

describe('the rate limit', () => {
  const maxPerSecond = 20
  const setNext = async (time: string) =>
    (await pool.query(`UPDATE docket.delivery_rate SET next_at = ${time} RETURNING next_at`))
      .rows[0].next_at

  test('is one for all processes', async () => {
    for (let event = 0; event < 3; event++)
      await queueFor(service, [2, 3, 4, 5, 6], { id: `event ${event}` })
    const begun = await setNext('now()')
    const start = () => startSending(service, accept, { maxPerSecond })
    const both = await Promise.all([start(), start()])
    await untilAll(service, 'sent')
    await Promise.all(both.map(({ stop }) => stop()))
    assert.equal(both.flatMap(({ sent }) => sent).length, 15)
    const { rows } = await pool.query(
      `SELECT next_at >= $1::timestamptz + 15 * interval '1 second' / ${maxPerSecond} AS all_reserved FROM docket.delivery_rate`,
      [begun],
    )
    assert.deepEqual(rows, [{ all_reserved: true }])
  })

  test('that cannot be read releases an e-mail, which is sent when it can be', async () => {
    await queueFor(service, [2])
    await pool.query('ALTER TABLE docket.delivery_rate RENAME TO rate_away')
    const sending = await startSending(service, accept, { maxPerSecond })
    sending.expectFault('maintenanceFailed')
    await until('the error is observed', () =>
      sending.observed.some(({ kind }) => kind === 'maintenanceFailed'),
    )
    await untilAll(service, 'queued')
    await pool.query('ALTER TABLE docket.rate_away RENAME TO delivery_rate')
    await untilAll(service, 'sent')
    await sending.stop()
    assert.deepEqual(await rowOf('tries'), { tries: 1 })
  })

  test('holds an e-mail that stop releases', async () => {
    await queueFor(service, [2])
    await setNext(`now() + interval '1 day'`)
    const sending = await startSending(service, accept, { maxPerSecond })
    await untilAll(service, 'sending')
    await sending.stop()
    await setNext('now()')
    const kept = [sending.sent, sending.observed, await statuses(service)]
    assert.deepEqual(kept, [[], [], ['queued']])
  })
})

describe('leases', () => {
  const leaseSeconds = 6

  /** A provider that accepts nothing before `open`, and counts how often it is aborted. */
  const createSlowProvider = () => {
    const [opened, begun] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const slow = {
      aborts: 0,
      open: opened.resolve,
      begun: within('the provider gets an e-mail', begun.promise),
      send: async (_email: Email, signal: AbortSignal) => {
        begun.resolve()
        const ended = Promise.withResolvers<never>()
        signal.addEventListener('abort', () => {
          slow.aborts++
          ended.reject(signal.reason)
        })
        await Promise.race([opened.promise, ended.promise])
      },
    }
    return slow
  }

  /** Starts a sender of one e-mail at a time whose connection to the database can be interrupted. */
  const startBehindProxy = async (send: Send) => {
    const proxy = await startAddress(service.database.connectionString)
    const { connectionString } = proxy
    const observe = () => undefined
    const own = createPool({ connectionString, size: 3, work: { kind: 'quick' }, observe })
    const options = { pool: own, maxConcurrent: 1, leaseSeconds }
    const sending = await startSending(service, send, options)
    afterwards(() => own.end())
    return { ...sending, ...proxy }
  }

  test('are renewed while the provider accepts the e-mail, and no other process sends it', async () => {
    await queueFor(service, [2])
    const slow = Promise.withResolvers<void>()
    const first = await startSending(service, () => slow.promise, { leaseSeconds })
    const dueAt = async () => (await rowOf('due_at::text')).due_at
    await untilAll(service, 'sending')
    const taken = await dueAt()
    await until('the lease is renewed', async () => (await dueAt()) > taken)
    const other = await startSending(service, accept, { leaseSeconds })
    slow.resolve()
    await untilAll(service, 'sent')
    await Promise.all([first.stop(), other.stop()])
    assert.deepEqual([first.sent, other.sent], [[u2], []])
  })

  test('end without the database: the e-mail is aborted before another process takes over, and no other is begun', async () => {
    await queueFor(service, [2, 3])
    const slow = createSlowProvider()
    const first = await startBehindProxy(slow.send)
    await slow.begun
    await untilAll(service, 'sending')
    first.stall()
    const abortsAtSend: number[] = []
    const countAborts = () => void abortsAtSend.push(slow.aborts)
    const second = await startSending(service, countAborts, { leaseSeconds })
    await untilAll(service, 'sent')
    slow.open()
    first.resume()
    await Promise.all([first.stop(), second.stop()])
    assert.deepEqual([first.sent, second.sent.toSorted()], [[], [u2, u3]])
    // The first send was aborted before the second process began.
    assert.deepEqual(abortsAtSend, [1, 1])
  })

  test('that another process has taken over abort the e-mail at the next renewal', async () => {
    await queueFor(service, [2, 3])
    const slow = createSlowProvider()
    const first = await startSending(service, slow.send, { maxConcurrent: 1, leaseSeconds })
    await slow.begun
    await untilAll(service, 'sending')
    // As another process does after the lease has ended.
    await change('tries = 2')
    await until('the running send is aborted', () => slow.aborts === 1)
    slow.open()
    await first.stop()
    assert.deepEqual(first.sent, [])
    assert.deepEqual(await statuses(service), ['sending', 'sending'])
  })
})
