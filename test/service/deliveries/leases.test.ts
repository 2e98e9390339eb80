/** Only one process sends an e-mail, also when another one has lost its connection to the database. */
import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { createPool } from '../../../src/database/pool.ts'
import type { Email } from '../../../src/email/email.ts'
import { afterwards } from '../../support/afterwards.ts'
import {
  queueFor,
  removeMailings,
  startSending,
  startWithUsers,
  statuses,
} from '../../support/deliveries/a-mailing.ts'
import type { TestService } from '../../support/service.ts'
import { startSilentProxy } from '../../support/silent-proxy.ts'
import { until, within } from '../../support/wait.ts'

let service: TestService
before(async () => {
  service = await startWithUsers()
})
after(() => service.stop())
beforeEach(() => removeMailings(service))

const both = ['u2@example.com', 'u3@example.com']
const allSent = async () => (await statuses(service)).every((status) => status === 'sent')

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
