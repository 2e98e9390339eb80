/** A rejected write is no failure of the database: the next request uses the same session. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
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

  test('a rejected write closes no session and leaves no transaction open', async () => {
    const notes = { notes: 'x' }
    const once = { 'Idempotency-Key': 'once' }
    const body = { number: nextNumber() }
    assert.equal((await service.ask('POST', '/order', { body, headers: once })).status, 201)
    const path = `/order/${order.id}`
    for (const [status, method, to, bodyOf, headers] of [
      [404, 'PATCH', '/order/999999', () => notes, {}],
      [412, 'PATCH', path, () => notes, { 'If-Match': '"999"' }],
      [409, 'POST', '/order', () => ({ number: order.number }), {}],
      [422, 'POST', '/order', () => ({ number: nextNumber() }), once],
    ] as const) {
      await service.ask('GET', path)
      const before = await sessions()
      for (let times = 0; times < 10; times++) {
        const answer = await service.ask(method, to, { body: bodyOf(), headers })
        assert.equal(answer.status, status, answer.text)
      }
      const now = await sessions()
      assert.deepEqual(
        now.map(({ pid }) => pid),
        before.map(({ pid }) => pid),
      )
      assert.ok(now.every(({ state }) => !state.startsWith('idle in transaction')))
    }
  })
})

describe('a transaction that fails', () => {
  let database: Awaited<ReturnType<typeof createTestDatabase>>
  before(async () => {
    database = await createTestDatabase()
    await database.pool.query('CREATE TABLE kept (id integer)')
  })
  after(() => database.drop())

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
      const { pool } = database
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
    })

  test('and cannot be rolled back closes its session', async () => {
    const { pool } = database
    const ending = transaction(pool, async (connection) => {
      const { rows } = await connection.query('SELECT pg_backend_pid() AS pid')
      await pool.query('SELECT pg_terminate_backend($1, 5000)', [rows[0]?.pid])
      throw apiError('record.stale', 'for the test')
    })
    await assert.rejects(ending, { code: 'record.stale' })
    assert.equal(pool.totalCount, 1)
    await pool.query('SELECT 1')
  })
})
