/**
 * A database with Docket's own tables and those of jobs, which every service makes in an empty one: made
 * once per test run. How they are made is tested from an empty database (test/process/, test/database/).
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
