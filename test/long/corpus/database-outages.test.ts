/**
 * A host that disappears without closing its connections: PostgreSQL notices it, and its locks are released. Shorter
 * outages are in `service/hostile/database-states.test.ts`.
 */
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { Work } from '../../../src/database/connections/session-settings.ts'
import { type EmbeddedDatabase, startEmbedded } from '../../../src/database/embedded/embedded.ts'
import { createPool } from '../../../src/database/pool.ts'
import { createOrder, startProject } from '../../support/a-project.ts'
import type { TestDatabase } from '../../support/database.ts'
import { until } from '../../support/wait.ts'

describe('a host that disappears without closing its connections', () => {
  const connect = async (
    work: Work,
    { connectionString }: Pick<TestDatabase, 'connectionString'>,
  ) => {
    const pool = createPool({ connectionString, size: 1, observe: () => undefined, work })
    const connection = await pool.connect()
    return { pool, connection }
  }
  // The server of the tests has no TCP port, and Unix sockets need no keepalive.
  let directory = ''
  let overTcp: EmbeddedDatabase
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'docket-tcp-'))
    const settings = { fsync: 'off' }
    overTcp = await startEmbedded({ directory, overTcp: true, settings, observe: () => undefined })
  })
  after(async () => {
    await overTcp.stop()
    await rm(directory, { recursive: true, force: true })
  })

  for (const work of [
    { kind: 'requests', timeoutSeconds: 30 },
    { kind: 'jobs' },
    { kind: 'quick' },
  ] as const)
    test(`is detected by PostgreSQL within half a minute (connections for ${work.kind})`, async () => {
      const { pool, connection } = await connect(work, overTcp)
      const show = async (name: string) => {
        const { rows } = await connection.query<Record<string, string>>(`SHOW ${name}`)
        return rows[0]?.[name]
      }
      const names = ['idle', 'interval', 'count'].map((name) => `tcp_keepalives_${name}`)
      const values: unknown[] = []
      for (const name of [...names, 'tcp_user_timeout']) values.push(await show(name))
      connection.release()
      await pool.end()
      assert.deepEqual(values, ['10', '5', '3', '25000'])
    })

  test('does not keep locks: an idle transaction is ended within half a minute', async (t) => {
    const service = await startProject({ REQUEST_TIMEOUT_SECONDS: '3' })
    t.after(() => service.stop())
    const { id } = await createOrder(service)
    const work = { kind: 'requests', timeoutSeconds: 30 } as const
    const { pool, connection } = await connect(work, service.database)
    await connection.query('BEGIN')
    await connection.query('SELECT FROM records."order" WHERE id = $1 FOR UPDATE', [id])
    const change = () => service.ask('PATCH', `/order/${id}`, { body: { notes: 'free' } })
    assert.equal((await change()).status, 503, 'the lock is held')
    await until('the lock is free', async () => (await change()).status === 200)
    connection.release(true)
    await pool.end()
  })
})
