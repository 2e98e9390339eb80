/** Sending by several processes within one rate limit, and when one of them ends or loses its database. */
import assert from 'node:assert/strict'
import { before, beforeEach, describe, test } from 'node:test'
import { createPool } from '../../../src/database/pool.ts'
import type { Email } from '../../../src/email/email.ts'
import { DeliveryError } from '../../../src/retry-policy.ts'
import { afterwards } from '../../support/afterwards.ts'
import {
  queueFor,
  removeMailings,
  shareWithUsers,
  startSending,
  statuses,
} from '../../support/deliveries/a-mailing.ts'
import type { TestService } from '../../support/service.ts'
import { startSilentProxy } from '../../support/silent-proxy.ts'
import { until, within } from '../../support/wait.ts'

let service: TestService
before(async () => {
  service = await shareWithUsers()
})
beforeEach(() => removeMailings(service))

const rowsOf = async (text: string) => (await service.database.pool.query(text)).rows
const allSent = async () => (await statuses(service)).every((status) => status === 'sent')
const makeDue = () => service.database.pool.query('UPDATE docket.delivery SET due_at = now()')

test('at most maxConcurrent e-mails are sent concurrently, and a slow one does not delay the others', async () => {
  await queueFor(service, [2, 3, 4, 5, 6, 7, 8])
  const slow = Promise.withResolvers<void>()
  let [current, maxSeen] = [0, 0]
  const sending = await startSending(service, async ({ to }) => {
    current++
    maxSeen = Math.max(maxSeen, current)
    if (to.address === 'u2@example.com') await slow.promise
    current--
  })
  await until('the others are sent', async () => sending.sent.length === 6)
  slow.resolve()
  await until('all are sent', allSent)
  await sending.stop()
  assert.ok(maxSeen <= 3, String(maxSeen))
  assert.equal(sending.sent.at(-1), 'u2@example.com')
})

test('a failure is retried after a delay that grows with the number of tries', async () => {
  await queueFor(service, [2])
  const sending = await startSending(service, () => {
    throw new Error('connect ECONNREFUSED')
  })
  for (const [tries, minSeconds, maxSeconds] of [
    [1, 45, 75],
    [2, 230, 370],
    [3, 700, 1090],
  ] as const) {
    await until('the delivery has failed', async () => (await statuses(service))[0] === 'failed')
    const [row] = await rowsOf(
      `SELECT tries, last_error, extract(epoch FROM due_at - now())::integer AS wait, sent_at FROM docket.delivery`,
    )
    assert.deepEqual(
      { ...row, wait: undefined },
      { tries, last_error: 'connect ECONNREFUSED', wait: undefined, sent_at: null },
    )
    assert.ok(row.wait >= minSeconds && row.wait <= maxSeconds, `${row.wait} after ${tries}`)
    await service.database.pool.query(
      `UPDATE docket.delivery SET status = 'queued', due_at = now()`,
    )
  }
  await sending.stop()
  assert.deepEqual([...new Set(sending.observed.map(({ kind }) => kind))], ['deliveryFailed'])
})

test('stop without grace time aborts the current e-mail, and another process sends it after the lease', async () => {
  await queueFor(service, [2, 3])
  const begun = Promise.withResolvers<void>()
  const aborts: unknown[] = []
  const sending = await startSending(
    service,
    (_email, signal) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          aborts.push(signal.reason)
          reject(new DeliveryError('cut', { retryable: true }))
        })
        begun.resolve()
      }),
    { maxConcurrent: 1 },
  )
  await within('sending has begun', begun.promise)
  await sending.stop(0)
  assert.equal(aborts.length, 1)
  assert.deepEqual((await statuses(service)).toSorted(), ['queued', 'sending'])
  assert.deepEqual(sending.observed, [])
  await makeDue()
  const other = await startSending(service, () => undefined)
  await until('all are sent', allSent)
  await other.stop()
  assert.deepEqual(other.sent.toSorted(), ['u2@example.com', 'u3@example.com'])
})

test('a lease is renewed while the provider accepts the e-mail, and no other process sends it', async () => {
  await queueFor(service, [2])
  const slow = Promise.withResolvers<void>()
  const first = await startSending(service, () => slow.promise)
  const dueAt = async () => (await rowsOf('SELECT due_at::text FROM docket.delivery'))[0].due_at
  await until('the e-mail is taken', async () => (await statuses(service))[0] === 'sending')
  const taken = await dueAt()
  await until('the lease is renewed', async () => (await dueAt()) > taken)
  const other = await startSending(service, () => undefined)
  slow.resolve()
  await until('the e-mail is sent', allSent)
  await Promise.all([first.stop(), other.stop()])
  assert.deepEqual([first.sent, other.sent], [['u2@example.com'], []])
})

test('the result of a try does not overwrite the result of a later try by another process', async () => {
  await queueFor(service, [2, 3])
  const late = Promise.withResolvers<void>()
  const first = await startSending(service, async ({ to }) => {
    await late.promise
    if (to.address.startsWith('u2')) throw new DeliveryError('550 no', { retryable: false })
  })
  await until('both are taken', async () =>
    (await statuses(service)).every((status) => status === 'sending'),
  )
  // As if the first process had been disconnected for longer than its lease.
  await service.database.pool.query(
    `UPDATE docket.delivery SET tries = 2, status = CASE user_id WHEN 2 THEN 'sent' ELSE 'failed' END`,
  )
  late.resolve()
  // The other e-mail is stored as sent, though another process has tried it too.
  await until('both are sent', allSent)
  await first.stop()
})

test('a later try asks whether the provider has already accepted the e-mail', async () => {
  await queueFor(service, [2, 3])
  const setTries = `UPDATE docket.delivery SET status = 'sending', tries = 1, due_at = now()`
  await service.database.pool.query(setTries)
  const asked: string[] = []
  const sending = await startSending(service, () => undefined, {
    maxConcurrent: 1,
    hasTaken: async (messageId) => asked.push(messageId) === 1,
  })
  await until('all are sent', allSent)
  // A first try does not ask.
  await queueFor(service, [4], { id: 'other' })
  await until('all are sent', allSent)
  await sending.stop()
  assert.equal(asked.length, 2)
  assert.equal(sending.sent.length, 2)
  assert.ok(sending.sent.includes('u4@example.com'))
})

test('the e-mail is sent again when the provider cannot answer', async () => {
  await queueFor(service, [2])
  await service.database.pool.query(
    `UPDATE docket.delivery SET status = 'sending', tries = 1, due_at = now()`,
  )
  const hasTaken = () => Promise.reject(new Error('403'))
  const sending = await startSending(service, () => undefined, { hasTaken })
  await until('the e-mail is sent', allSent)
  await sending.stop()
  assert.deepEqual(sending.sent, ['u2@example.com'])
})

test('after stop no e-mail is taken', async () => {
  const sending = await startSending(service, () => undefined)
  await sending.stop()
  await queueFor(service, [2])
  assert.deepEqual(await statuses(service), ['queued'])
})

test('an e-mail whose senders all end during the send is dead after the last try', async () => {
  await queueFor(service, [2])
  await service.database.pool.query(
    `UPDATE docket.delivery SET status = 'sending', tries = 8, due_at = now()`,
  )
  const sending = await startSending(service, () => undefined)
  await until('the delivery is dead', async () => (await statuses(service))[0] === 'dead')
  await sending.stop()
  assert.deepEqual(sending.sent, [])
  const [row] = await rowsOf('SELECT last_error FROM docket.delivery')
  assert.deepEqual(row, {
    last_error: 'Every process that tried to send it ended during the attempt.',
  })
})

test('an e-mail that is queued while others are sent is sent too', async () => {
  const sending = await startSending(service, () => undefined)
  for (const id of [2, 3, 4, 5]) {
    await queueFor(service, [id], { id: `event ${id}` })
    await until('the e-mail is sent', async () => sending.sent.includes(`u${id}@example.com`))
  }
  await sending.stop()
})

test('an e-mail whose sending throws an unexpected error is retried, and the others are sent', async () => {
  await queueFor(service, [2, 3])
  const sending = await startSending(service, ({ to }) => {
    if (to.address.startsWith('u2')) throw new TypeError('undefined is not a function')
  })
  await until('one is sent', async () => sending.sent.length === 1)
  await until('one has failed', async () => (await statuses(service))[0] === 'failed')
  await sending.stop()
  assert.deepEqual(await statuses(service), ['failed', 'sent'])
})

test('the stored error is one short line without control characters', async () => {
  await queueFor(service, [2])
  const sending = await startSending(service, () => {
    throw new DeliveryError(`550 \0no\r\nsuch user ${'x'.repeat(5_000)}`, { retryable: false })
  })
  await until('the delivery is dead', async () => (await statuses(service))[0] === 'dead')
  await sending.stop()
  const [row] = await rowsOf('SELECT last_error FROM docket.delivery')
  assert.deepEqual(row, { last_error: `550 no such user ${'x'.repeat(983)}` })
})

describe('the rate limit', () => {
  test('all processes share one rate limit', async () => {
    for (let event = 0; event < 3; event++)
      await queueFor(service, [2, 3, 4, 5, 6], { id: `event ${event}` })
    const maxPerSecond = 20
    const [begun] = await rowsOf(
      'UPDATE docket.delivery_rate SET next_at = now() RETURNING next_at',
    )
    const both = await Promise.all([
      startSending(service, () => undefined, { maxPerSecond }),
      startSending(service, () => undefined, { maxPerSecond }),
    ])
    await until('all are sent', allSent)
    await Promise.all(both.map(({ stop }) => stop()))
    assert.equal(both.flatMap(({ sent }) => sent).length, 15)
    const { pool } = service.database
    const reserved = await pool.query(
      `SELECT next_at >= $1::timestamptz + 15 * interval '1 second' / ${maxPerSecond} AS all_reserved FROM docket.delivery_rate`,
      [begun.next_at],
    )
    assert.deepEqual(reserved.rows, [{ all_reserved: true }])
  })

  test('an e-mail is released when the rate limit cannot be read, and sent when it can be', async () => {
    await queueFor(service, [2])
    const { pool } = service.database
    const maxPerSecond = 20
    await pool.query('ALTER TABLE docket.delivery_rate RENAME TO rate_away')
    const sending = await startSending(service, () => undefined, { maxPerSecond })
    await until('the error is observed', () =>
      sending.observed.some(({ kind }) => kind === 'maintenanceFailed'),
    )
    await until('the e-mail is released', async () => (await statuses(service))[0] === 'queued')
    await pool.query('ALTER TABLE docket.rate_away RENAME TO delivery_rate')
    await until('the e-mail is sent', allSent)
    await sending.stop()
    assert.deepEqual(await rowsOf('SELECT tries FROM docket.delivery'), [{ tries: 1 }])
  })

  test('stop releases an e-mail that waits for the rate limit', async () => {
    await queueFor(service, [2])
    await service.database.pool.query(
      `UPDATE docket.delivery_rate SET next_at = now() + interval '1 day'`,
    )
    const sending = await startSending(service, () => undefined, { maxPerSecond: 20 })
    await until('the e-mail is taken', async () => (await statuses(service))[0] === 'sending')
    await sending.stop()
    await service.database.pool.query('UPDATE docket.delivery_rate SET next_at = now()')
    assert.deepEqual(
      [sending.sent, sending.observed, await statuses(service)],
      [[], [], ['queued']],
    )
  })
})

describe('leases', () => {
  const both = ['u2@example.com', 'u3@example.com']

  /** A provider that accepts nothing before `open`, and records when it is aborted. */
  const createSlowProvider = () => {
    const [opened, begun] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const aborts: unknown[] = []
    const send = async (_email: Email, signal: AbortSignal) => {
      begun.resolve()
      const ended = Promise.withResolvers<never>()
      signal.addEventListener('abort', () => {
        aborts.push(signal.reason)
        ended.reject(signal.reason)
      })
      await Promise.race([opened.promise, ended.promise])
    }
    return {
      send,
      aborts,
      open: opened.resolve,
      begun: within('the provider gets an e-mail', begun.promise),
    }
  }

  /** Starts a sender of one e-mail at a time whose connection to the database can be interrupted. */
  const startBehindProxy = async (send: (email: Email, signal: AbortSignal) => Promise<void>) => {
    const proxy = await startSilentProxy(service.database.connectionString)
    const { connectionString } = proxy
    const observe = () => undefined
    const pool = createPool({ connectionString, size: 3, work: { kind: 'quick' }, observe })
    afterwards(() => proxy.close())
    const sending = await startSending(service, send, { pool, maxConcurrent: 1 })
    afterwards(() => pool.end())
    return { ...sending, ...proxy }
  }

  test('a process without the database aborts its e-mail before another one takes over, and starts no other', async () => {
    await queueFor(service, [2, 3])
    const slow = createSlowProvider()
    const first = await startBehindProxy(slow.send)
    await slow.begun
    await until('both are taken', async () =>
      (await statuses(service)).every((status) => status === 'sending'),
    )
    first.stall()
    const abortsAtSend: number[] = []
    const second = await startSending(service, () => void abortsAtSend.push(slow.aborts.length))
    await until('both are sent', allSent)
    slow.open()
    first.resume()
    await Promise.all([first.stop(), second.stop()])
    assert.deepEqual([first.sent, second.sent.toSorted()], [[], both])
    // The first send was aborted before the second process began.
    assert.deepEqual(abortsAtSend, [1, 1])
  })

  test('an e-mail that another process has taken over is aborted at the next renewal of the lease', async () => {
    await queueFor(service, [2, 3])
    const slow = createSlowProvider()
    const first = await startSending(service, slow.send, { maxConcurrent: 1 })
    await slow.begun
    await until('both are taken', async () =>
      (await statuses(service)).every((status) => status === 'sending'),
    )
    // As another process does after the lease has ended.
    await service.database.pool.query('UPDATE docket.delivery SET tries = 2')
    await until('the running send is aborted', () => slow.aborts.length === 1)
    slow.open()
    await first.stop()
    assert.deepEqual(first.sent, [])
    assert.deepEqual(await statuses(service), ['sending', 'sending'])
  })
})
