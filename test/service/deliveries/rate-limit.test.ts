/** All processes together keep to the rate limit, and an e-mail that waits for it can be released. */
import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import {
  queueFor,
  removeMailings,
  startSending,
  startWithUsers,
  statuses,
} from '../../support/deliveries/a-mailing.ts'
import type { TestService } from '../../support/service.ts'
import { until } from '../../support/wait.ts'

let service: TestService
before(async () => {
  service = await startWithUsers()
})
after(() => service.stop())
beforeEach(() => removeMailings(service))

const rowsOf = async (text: string) => (await service.database.pool.query(text)).rows
const allSent = async () => (await statuses(service)).every((status) => status === 'sent')
test('all processes share one rate limit', async () => {
  for (let event = 0; event < 3; event++)
    await queueFor(service, [2, 3, 4, 5, 6], { id: `event ${event}` })
  const maxPerSecond = 20
  const [begun] = await rowsOf('UPDATE docket.delivery_rate SET next_at = now() RETURNING next_at')
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
  assert.deepEqual([sending.sent, sending.observed, await statuses(service)], [[], [], ['queued']])
})
