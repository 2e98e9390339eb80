/**
 * A database with the tables of Docket and of jobs, which every service creates in an empty one, created
 * once per test run. Other tests create them in an empty database (test/process/, test/database/).
 */
import { migrate } from '../../src/database/migrate.ts'
import { prepareJobs } from '../../src/jobs/prepare-jobs.ts'
import { createTestDatabase, type TestDatabase, templateDatabase } from './database.ts'

export const createPreparedDatabase = async (): Promise<TestDatabase> =>
  createTestDatabase({
    template: await templateDatabase('prepared', async ({ pool }) => {
      await prepareJobs(pool)
      await migrate(pool)
    }),
  })
