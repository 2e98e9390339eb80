/** A rejected write is no failure of the database: the next request uses the same session. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { transaction } from '../../../src/database/transaction.ts'
import { apiError } from '../../../src/errors.ts'
import { createOrder, nextNumber, startProject } from '../../support/a-project.ts'
import { createTestDatabase } from '../../support/database.ts'
import type { TestService } from '../../support/service.ts'

describe('sessions of rejected writes', () => {
  let service: TestService
  let order: { readonly id: number; readonly number: string }
  before(async () => {
    service = await startProject()
    order = await createOrder(service)
  })

  const sessions = async () => {
    const { rows } = await service.database.pool.query<{ pid: number; state: string }>(
      `SELECT pid, state FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'docket' ORDER BY pid`,
    )
    return rows
  }

  const once = { 'Idempotency-Key': 'once' }
  const rejectedWrites: Readonly<
    Record<string, readonly [number, string, () => string, () => object, Record<string, string>?]>
  > = {
    'a change of a record that does not exist': [
      404,
      'PATCH',
      () => '/999999',
      () => ({ notes: 'x' }),
    ],
    'a change with a stale entity tag': [
      ...([412, 'PATCH', () => `/${order.id}`, () => ({ notes: 'x' })] as const),
      { 'If-Match': '"999"' },
    ],
    'a record with the number of another one': [
      409,
      'POST',
      () => '',
      () => ({ number: order.number }),
    ],
    'another request with the same idempotency key': [
      ...([422, 'POST', () => '', () => ({ number: nextNumber() })] as const),
      once,
    ],
  }

  for (const [what, [status, method, path, bodyOf, headers]] of Object.entries(rejectedWrites))
    test(`${what} (${status}) closes no session and leaves no transaction open`, async () => {
      const ask = () =>
        service.ask(method, `/order${path()}`, { body: bodyOf(), ...(headers && { headers }) })
      if (headers === once) assert.equal((await ask()).status, 201)
      await service.ask('GET', `/order/${order.id}`)
      const before = await sessions()
      for (let times = 0; times < 10; times++) {
        const answer = await ask()
        assert.equal(answer.status, status, answer.text)
      }
      const now = await sessions()
      assert.deepEqual(
        now.map(({ pid }) => pid),
        before.map(({ pid }) => pid),
      )
      assert.ok(now.every(({ state }) => !state.startsWith('idle in transaction')))
    })
})

describe('a transaction that fails', () => {
  const endings = {
    'with an error of the API': async () => {
      throw apiError('record.stale', 'for the test')
    },
    'with an error of the API after a failed statement': async (
      query: (text: string) => Promise<unknown>,
    ) => {
      await query('SELECT 1 / 0').catch(() => undefined)
      throw apiError('record.stale', 'for the test')
    },
    'with a failed statement': (query: (text: string) => Promise<unknown>) => query('SELECT 1 / 0'),
  }
  for (const [how, work] of Object.entries(endings))
    test(`${how} is rolled back before its session is used again`, async () => {
      const { pool, drop } = await createTestDatabase()
      await pool.query('CREATE TABLE kept (id integer)')
      const ending = transaction(pool, async (connection) => {
        await connection.query('INSERT INTO kept VALUES (1)')
        await work((text) => connection.query(text))
      })
      await assert.rejects(ending)
      assert.equal(pool.totalCount, 1)
      const { rows } = await pool.query(
        'SELECT (SELECT count(*) FROM kept) AS kept, pg_current_xact_id_if_assigned() AS open',
      )
      assert.deepEqual(rows, [{ kept: 0, open: null }])
      await drop()
    })

  test('and cannot be rolled back closes its session', async () => {
    const { pool, drop } = await createTestDatabase()
    const ending = transaction(pool, async (connection) => {
      const { rows } = await connection.query('SELECT pg_backend_pid() AS pid')
      await pool.query('SELECT pg_terminate_backend($1, 5000)', [rows[0]?.pid])
      throw apiError('record.stale', 'for the test')
    })
    await assert.rejects(ending, { code: 'record.stale' })
    assert.equal(pool.totalCount, 1)
    await pool.query('SELECT 1')
    await drop()
  })
})
