/** As slow as wanted, all processes together, and nothing lies while it waits for its turn. */
import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import type { TestService } from '../support/service.ts'
import { until } from '../support/wait.ts'
import { empty, queueFor, startSending, startWithPeople, statuses } from './a-mailing.ts'

let service: TestService
before(async () => {
  service = await startWithPeople()
})
after(() => service.stop())
beforeEach(() => empty(service))

const rowsOf = async (text: string) => (await service.database.pool.query(text)).rows
const allSent = async () => (await statuses(service)).every((status) => status === 'sent')
test('every e-mail of all processes takes a turn of the same pace', async () => {
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
  const turns = await pool.query(
    `SELECT next_at >= $1::timestamptz + 15 * interval '1 second' / ${maxPerSecond} AS taken FROM docket.delivery_rate`,
    [begun.next_at],
  )
  assert.deepEqual(turns.rows, [{ taken: true }])
})

test('where no turn comes, the e-mail is given back at once and goes when there is one', async () => {
  await queueFor(service, [2])
  const { pool } = service.database
  const maxPerSecond = 20
  await pool.query('ALTER TABLE docket.delivery_rate RENAME TO rate_away')
  const sending = await startSending(service, () => undefined, { maxPerSecond })
  await until('it is told', () => sending.observed.some(({ kind }) => kind === 'maintenanceFailed'))
  await until('it is given back', async () => (await statuses(service))[0] === 'queued')
  await pool.query('ALTER TABLE docket.rate_away RENAME TO delivery_rate')
  await until('it is sent', allSent)
  await sending.stop()
  assert.deepEqual(await rowsOf('SELECT tries FROM docket.delivery'), [{ tries: 1 }])
})

test('who stops gives back what waits for its turn', async () => {
  await queueFor(service, [2])
  await service.database.pool.query(
    `UPDATE docket.delivery_rate SET next_at = now() + interval '1 day'`,
  )
  const sending = await startSending(service, () => undefined, { maxPerSecond: 20 })
  await until('it is taken', async () => (await statuses(service))[0] === 'sending')
  await sending.stop()
  await service.database.pool.query('UPDATE docket.delivery_rate SET next_at = now()')
  assert.deepEqual([sending.sent, sending.observed, await statuses(service)], [[], [], ['queued']])
})
