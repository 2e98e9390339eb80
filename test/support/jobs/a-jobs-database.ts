/** Databases with the tables of jobs and of the test jobs, from a template that is prepared once per run. */
import { migrate } from '../../../src/database/migrate.ts'
import { shareOnce } from '../afterwards.ts'
import { createTestDatabase, type TestDatabase, templateDatabase } from '../database.ts'
import { prepareTestJobs } from '../test-jobs.ts'

export const createJobsDatabase = async (): Promise<TestDatabase> => {
  const template = await templateDatabase('jobs', async ({ pool }) => {
    await migrate(pool)
    await prepareTestJobs(pool)
  })
  return createTestDatabase({ template })
}

/** The database of all files of a process. */
export const shareJobsDatabase = shareOnce(createJobsDatabase)

/** Removes jobs and what test jobs have written. */
export const emptyJobsDatabase = ({ pool }: TestDatabase): Promise<unknown> =>
  pool.query(
    `DELETE FROM docket.job;
     DELETE FROM test_run;
     DELETE FROM test_gate`,
  )
