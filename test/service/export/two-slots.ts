/** A service of two slots for exports, one for each caller, with a table that is larger than all buffers. */
import assert from 'node:assert/strict'
import { insertUser } from '../../../src/users/user-store.ts'
import { fillRandomly, startExportProject } from '../../support/an-export-project.ts'
import { shareService } from '../../support/service.ts'

/** Another administrator: one caller gets half of the slots. */
export const second = 'second@example.com'

/** Records up to this position are read quickly; a comparison with the text of the others takes long. */
export const quickRecords = 3_000

export const shareTwoSlots = shareService(async () => {
  const service = await startExportProject({ EXPORTS_AT_ONCE: '2' })
  const { pool } = service.database
  // By the index of the ids, so that a first record is found before all others are read.
  await pool.query(
    `DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET enable_sort = off', current_database()); END $$`,
  )
  // More than all buffers can hold, in every encoding.
  await fillRandomly(service, 30_000)
  await pool.query(
    `UPDATE records.measurement SET filler = repeat(md5(position::text), 600)
     WHERE position BETWEEN $1 + 1 AND $1 + 3000`,
    [quickRecords],
  )
  await pool.query('ANALYZE records.measurement')
  await pool.query(`INSERT INTO records.note (name) VALUES (repeat('x', 40000))`)
  assert.ok(
    await insertUser(pool, {
      identity_provider_user_id: 'second',
      first_name: 'Second',
      last_name: 'Example',
      full_name: 'Second Example',
      email: second,
      role_key: 'administrator',
    }),
  )
  return service
})
