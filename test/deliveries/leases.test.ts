/** Who may send an e-mail while a process is cut off from the database: never two. */
import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { createPool } from '../../src/database/pool.ts'
import type { Email } from '../../src/email/email.ts'
import { afterwards } from '../support/afterwards.ts'
import type { TestService } from '../support/service.ts'
import { startSilentProxy } from '../support/silent-proxy.ts'
import { until, within } from '../support/wait.ts'
import { empty, queueFor, startSending, startWithPeople, statuses } from './a-mailing.ts'

let service: TestService
before(async () => {
  service = await startWithPeople()
})
after(() => service.stop())
beforeEach(() => empty(service))

const both = ['u2@example.com', 'u3@example.com']
const allSent = async () => (await statuses(service)).every((status) => status === 'sent')

/** A provider that takes nothing before it is told to; it hears when it is to take no more. */
const aSlowProvider = () => {
  const [gate, begun] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const cut: unknown[] = []
  const send = async (_email: Email, signal: AbortSignal) => {
    begun.resolve()
    const ended = Promise.withResolvers<never>()
    signal.addEventListener('abort', () => {
      cut.push(signal.reason)
      ended.reject(signal.reason)
    })
    await Promise.race([gate.promise, ended.promise])
  }
  return { send, cut, open: gate.resolve, begun: within('it is given an e-mail', begun.promise) }
}

/** A sender of one at a time whose way to the database may be cut off. */
const startCutOff = async (send: (email: Email, signal: AbortSignal) => Promise<void>) => {
  const proxy = await startSilentProxy(service.database.connectionString)
  const { connectionString } = proxy
  const observe = () => undefined
  const pool = createPool({ connectionString, size: 3, work: { kind: 'quick' }, observe })
  afterwards(() => proxy.close())
  const sending = await startSending(service, send, { pool, maxConcurrent: 1 })
  afterwards(() => pool.end())
  return { ...sending, ...proxy }
}

test('who is cut off from the database gives up before another takes over, and begins nothing', async () => {
  await queueFor(service, [2, 3])
  const slow = aSlowProvider()
  const first = await startCutOff(slow.send)
  await slow.begun
  await until('both are taken', async () =>
    (await statuses(service)).every((status) => status === 'sending'),
  )
  first.stall()
  const cutAtSecond: number[] = []
  const second = await startSending(service, () => void cutAtSecond.push(slow.cut.length))
  await until('both are sent', allSent)
  slow.open()
  first.resume()
  await Promise.all([first.stop(), second.stop()])
  assert.deepEqual([first.sent, second.sent.toSorted()], [[], both])
  // It had been told to stop before the other began.
  assert.deepEqual(cutAtSecond, [1, 1])
})

test('what another has taken over meanwhile is given up at the next renewal, begun or not', async () => {
  await queueFor(service, [2, 3])
  const slow = aSlowProvider()
  const first = await startSending(service, slow.send, { maxConcurrent: 1 })
  await slow.begun
  await until('both are taken', async () =>
    (await statuses(service)).every((status) => status === 'sending'),
  )
  // As another does after a lease has ended.
  await service.database.pool.query('UPDATE docket.delivery SET tries = 2')
  await until('the one that was begun is cut off', () => slow.cut.length === 1)
  slow.open()
  await first.stop()
  assert.deepEqual(first.sent, [])
  assert.deepEqual(await statuses(service), ['sending', 'sending'])
})
