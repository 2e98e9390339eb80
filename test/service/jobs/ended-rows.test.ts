/** The maintenance removes rows whose time is over, and keeps them until then. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { removeEndedRows } from '../../../src/database/old-rows.ts'
import type { Pool } from '../../../src/database/pool.ts'
import { forgetOldDates } from '../../../src/notify/due-dates.ts'
import { shareJobsDatabase } from '../../support/jobs/a-jobs-database.ts'

const { pool } = await shareJobsDatabase()

before(() =>
  pool.query(
    `INSERT INTO docket.date_schedule (id, entity_key, column_name, shift, at)
     OVERRIDING SYSTEM VALUE VALUES (1, 'order', 'due_on', '1 day', '08:00')`,
  ),
)

type Case = readonly [
  remove: (pool: Pool) => Promise<unknown>,
  table: string,
  /** How long a row stays after the time in its column. */
  stays: string,
  timeColumn: string,
  nameColumn: string,
  others?: Readonly<Record<string, unknown>>,
]

const user = { user_id: 1 }
const failures = { failures: 9, open_at: 'now' }
const cases: readonly Case[] = [
  [removeEndedRows, 'one_time_code', '0 days', 'expires_at', 'digest', { kind: 'code', ...user }],
  [removeEndedRows, 'known_browser', '1 year', 'last_used_at', 'digest', user],
  [removeEndedRows, 'failed_sign_in', '1 day', 'last_at', 'target', failures],
  [removeEndedRows, 'sign_in_step', '0 days', 'expires_at', 'digest', user],
  [removeEndedRows, 'used_challenge', '0 days', 'expires_at', 'digest'],
  [
    removeEndedRows,
    'idempotency_key',
    '24 hours',
    'created_at',
    'key',
    { ...user, request_digest: 'same' },
  ],
  [forgetOldDates, 'date_notice', '400 days', 'told_at', 'value', { schedule_id: 1, record_id: 1 }],
]

for (const [remove, table, stays, timeColumn, nameColumn, others = {}] of cases)
  test(`${remove.name} removes rows of ${table} ${stays} after ${timeColumn}`, async () => {
    const columns = [...Object.keys(others), nameColumn, timeColumn]
    const slots = columns.map((_, index) => `$${index + 1}`)
    const add = (name: string, age: string) =>
      pool.query(
        `INSERT INTO docket.${table} (${columns}) VALUES (${slots.with(-1, `now() - ${slots.at(-1)}::interval`)})`,
        [...Object.values(others), name, age],
      )
    await add('over', `${stays} 1 minute`)
    await add('not yet over', `${stays} -1 minute`)
    await remove(pool)
    const { rows } = await pool.query(`SELECT ${nameColumn} AS name FROM docket.${table}`)
    assert.deepEqual(rows, [{ name: 'not yet over' }])
  })
