/** PostgreSQL is stopped while e-mails are sent: sent e-mails are recorded after it is back. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startOwnServer } from '../../support/own-server.ts'
import {
  deliveriesOf,
  headersOf,
  makeUsers,
  openSmtp,
  startProject,
  stop,
} from '../../support/processes/a-mail-project.ts'
import { until } from '../../support/wait.ts'

test('two workers that send while PostgreSQL is stopped four times send no e-mail twice', {
  timeout: 240_000,
}, async () => {
  const database = await startOwnServer()
  const { pool } = database
  const userCount = 100
  const project = await startProject(makeUsers(userCount), database)
  const { taken, settings } = await openSmtp()
  const given = { ...settings, EMAILS_AT_ONCE: '10' }
  const workers = await Promise.all([project.startWorker(given), project.startWorker(given)])
  const rounds = 4
  const isSent = ({ status }: { status: string }) => status === 'sent'
  for (let round = 1; round <= rounds; round++) {
    const stopAt = taken.length + userCount / 4
    await project.notify({ title: `round ${round}` })
    await until('some are sent', () => taken.length >= stopAt)
    await database.stop()
    await database.start()
    // An attempt that got e-mails and did not send them keeps its lease until it expires.
    await until(`all e-mails of round ${round} are sent`, async () => {
      await pool.query(`UPDATE docket.delivery SET due_at = now() WHERE status = 'failed'`)
      const rows = await deliveriesOf(pool)
      return rows.length === round * userCount && rows.every(isSent)
    })
  }
  await stop(...workers)
  const ids = taken.map(headersOf).map(({ to, id }) => `${to} ${id}`)
  assert.deepEqual([ids.length, new Set(ids).size], [rounds * userCount, rounds * userCount])
})
