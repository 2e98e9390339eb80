/** Creates a database with the tables of jobs and of the test jobs, from a template that is prepared once per run. */
import { migrate } from '../../../src/database/migrate.ts'
import { prepareJobs } from '../../../src/jobs/prepare-jobs.ts'
import { createTestDatabase, type TestDatabase, templateDatabase } from '../database.ts'
import { prepareTestJobs } from '../test-jobs.ts'

export const createJobsDatabase = async (): Promise<TestDatabase> => {
  const template = await templateDatabase('jobs', async ({ pool }) => {
    await migrate(pool)
    await prepareJobs(pool)
    await prepareTestJobs(pool)
  })
  return createTestDatabase({ template })
}
