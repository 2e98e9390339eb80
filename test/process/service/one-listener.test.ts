/** Each process listens on one connection; while it is lost, work is delayed and nothing is lost. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Pool } from '../../../src/database/pool.ts'
import { callDocket } from '../../support/call-docket.ts'
import { outcomeOf, spawnDocket, waitFor } from '../../support/docket.ts'
import { hooks } from '../../support/notifications/an-engine-project.ts'
import { createPreparedDatabase } from '../../support/prepared-database.ts'
import { writeProject } from '../../support/service.ts'
import { until } from '../../support/wait.ts'

// A connection that only listens shows LISTEN as its last statement.
const listening = (pool: Pool) =>
  pool.query<{ pid: number; name: string }>(
    `SELECT pid, application_name AS name FROM pg_stat_activity
     WHERE datname = current_database() AND (application_name LIKE '%listener' OR query LIKE 'LISTEN%')`,
  )

const notified = async (pool: Pool) =>
  (await pool.query('SELECT FROM docket.notification')).rowCount ?? 0

const files = {
  'entities/thing.json': {
    key: 'thing',
    fields: [{ key: 'name', type: 'string' }],
    hooks,
    notifications: [{ operation: 'create', recipient: { userFields: ['_created_by'] } }],
  },
}

test('start and worker listen on one connection each, and lose nothing when it is killed', async () => {
  const { connectionString, pool } = await createPreparedDatabase()
  const environment = { DATABASE_URL: connectionString, PROJECT: await writeProject(files) }
  await callDocket(['migrate'], environment)
  const { out: token } = await callDocket(['token'], environment)
  const service = spawnDocket(['start', '--port', '0'], environment)
  const up = waitFor(service, /is up at \S+\s/)
  await waitFor(service, /"workerStarted"/)
  const [, base] = /is up at (\S+)/.exec(await up) ?? []
  const create = async (name: string) => {
    const response = await fetch(`${base}/thing`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${token.trim()}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ name }),
    })
    assert.equal(response.status, 201, await response.text())
  }
  await create('first')
  await until('its creator is notified', async () => (await notified(pool)) === 1)
  assert.deepEqual(
    (await listening(pool)).rows.map(({ name }) => name),
    ['docket listener'],
  )

  const worker = spawnDocket(['worker'], environment)
  await waitFor(worker, /"workerStarted"/)
  await until('two processes listen', async () => (await listening(pool)).rowCount === 2)

  const before = await listening(pool)
  await pool.query('SELECT pg_terminate_backend(pid) FROM unnest($1::integer[]) AS pid', [
    before.rows.map(({ pid }) => pid),
  ])
  for (let count = 0; count < 5; count++) await create(`while nobody listens ${count}`)
  await until('all are notified', async () => (await notified(pool)) === 6)
  await until('both listen again', async () => {
    const { rows } = await listening(pool)
    return rows.length === 2 && rows.every(({ pid }) => before.rows.every((one) => one.pid !== pid))
  })
  const ended = [outcomeOf(service), outcomeOf(worker)]
  for (const child of [service, worker]) child.kill('SIGTERM')
  for (const { code, err } of await Promise.all(ended)) assert.equal(code, 0, err)
})
