/**
 * A host that disappears without closing its connections: its locks are released. Shorter outages are in
 * `service/hostile/database-states.test.ts`.
 */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createPool } from '../../../src/database/pool.ts'
import { createOrder, startProject } from '../../support/a-project.ts'
import { until } from '../../support/wait.ts'

const service = await startProject({ REQUEST_TIMEOUT_SECONDS: '3' })
after(() => service.stop())

test('a lost host does not keep locks: an idle transaction is ended within half a minute', async () => {
  const { id } = await createOrder(service)
  const work = { kind: 'requests', timeoutSeconds: 30 } as const
  const { connectionString } = service.database
  const pool = createPool({ connectionString, size: 1, observe: () => undefined, work })
  const connection = await pool.connect()
  await connection.query('BEGIN')
  await connection.query('SELECT FROM records."order" WHERE id = $1 FOR UPDATE', [id])
  const change = () => service.ask('PATCH', `/order/${id}`, { body: { notes: 'free' } })
  assert.equal((await change()).status, 503, 'the lock is held')
  await until('the lock is free', async () => (await change()).status === 200)
  connection.release(true)
  await pool.end()
})
