/** Databases for stored notifications and their counters, with an empty table of users. */
import { migrate } from '../../../src/database/migrate.ts'
import { createTestDatabase, type TestDatabase, templateDatabase } from '../../support/database.ts'

export const createStoreDatabase = async (): Promise<TestDatabase> => {
  const template = await templateDatabase('store', async ({ pool }) => {
    await migrate(pool)
    await pool.query(
      'CREATE SCHEMA IF NOT EXISTS records; CREATE TABLE records."user" (id integer, email text)',
    )
  })
  return createTestDatabase({ template })
}
