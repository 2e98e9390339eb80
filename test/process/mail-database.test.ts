/** PostgreSQL is stopped while e-mails are sent: what was sent is written down when it is back. */
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { startEmbedded } from '../../src/database/embedded/embedded.ts'
import { createPool } from '../../src/database/pool.ts'
import { afterwards } from '../support/afterwards.ts'
import { until } from '../support/wait.ts'
import { crowd, deliveriesOf, headersOf, openHouse, openSmtp, stop } from './a-mailed-project.ts'

/** A PostgreSQL of the test's own, to be stopped and started again. */
const startServer = async () => {
  const directory = await mkdtemp(join(tmpdir(), 'docket-mailed-'))
  const observe = () => undefined
  const start = () => startEmbedded({ directory, settings: { fsync: 'off' }, observe })
  let server = await start()
  afterwards(() => rm(directory, { recursive: true, force: true }))
  afterwards(() => server.stop())
  const { connectionString } = server
  const pool = createPool({ connectionString, size: 4, observe })
  afterwards(() => pool.end())
  const pidFile = join(directory, 'postgres', 'postmaster.pid')
  const restart = async () => {
    await server.stop()
    await until('the server is gone', () => !existsSync(pidFile))
    server = await start()
  }
  return { connectionString, pool, restart }
}

test('of two workers that send while PostgreSQL is stopped four times, no e-mail goes twice', {
  timeout: 240_000,
}, async () => {
  const database = await startServer()
  const { pool } = database
  const people = 100
  const house = await openHouse(crowd(people), database)
  const { taken, settings } = await openSmtp()
  const given = { ...settings, EMAILS_AT_ONCE: '10' }
  const workers = await Promise.all([house.startWorker(given), house.startWorker(given)])
  const rounds = 4
  const isSent = ({ status }: { status: string }) => status === 'sent'
  for (let round = 1; round <= rounds; round++) {
    const enough = taken.length + people / 4
    await house.tell({ title: `round ${round}` })
    await until('some are taken', () => taken.length >= enough)
    await database.restart()
    // What a try was given and did not send waits for its lease, which nobody may cut short.
    await until(`all e-mails of round ${round} are sent`, async () => {
      await pool.query(`UPDATE docket.delivery SET due_at = now() WHERE status = 'failed'`)
      const rows = await deliveriesOf(pool)
      return rows.length === round * people && rows.every(isSent)
    })
  }
  await stop(...workers)
  const ids = taken.map(headersOf).map(({ to, id }) => `${to} ${id}`)
  assert.deepEqual([ids.length, new Set(ids).size], [rounds * people, rounds * people])
})
