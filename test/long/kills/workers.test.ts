/** Many processes at once that run jobs. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTestDatabase } from '../../support/database.ts'
import { outcomeOf, spawnDocket, waitFor } from '../../support/docket.ts'
import { createJobsDatabase } from '../../support/jobs/a-jobs-database.ts'
import { endWell } from '../../support/processes/a-service.ts'
import { isEmpty, startWorker, traced } from '../../support/processes/job-workers.ts'
import { writeProject } from '../../support/service.ts'
import { addJob, note } from '../../support/test-jobs.ts'
import { until } from '../../support/wait.ts'

test('three processes share a thousand jobs, each run once, also while one of them stops', async () => {
  const { pool, connectionString } = await createJobsDatabase()
  const [first, ...others] = [
    await startWorker(connectionString),
    await startWorker(connectionString),
    await startWorker(connectionString),
  ]
  for (let left = 1000; left > 0; left--) await addJob(pool, note, { name: 'shared' })
  await traced(pool, 'shared', 50)
  const stopping = endWell(first)
  await until(() => isEmpty(pool))
  await Promise.all([stopping, ...others.map((one) => endWell(one))])
  const { rows: found } = await pool.query(
    'SELECT count(*) AS runs, count(DISTINCT job) AS jobs, max(attempt) AS attempts FROM test_run',
  )
  assert.deepEqual(found, [{ runs: 1000, jobs: 1000, attempts: 1 }])
})

for (const { args, isUp } of [
  { args: ['worker'], isUp: /run here/ },
  { args: ['start', '--port', '0'], isUp: /is up at/ },
])
  test(`six times "docket ${args[0]}" at once on an empty database all come up`, async () => {
    const { pool, connectionString } = await createTestDatabase()
    const fields = [{ key: 'a', type: 'string' }]
    const PROJECT = await writeProject({ 'entities/thing.json': { key: 'thing', fields } })
    const started = Array.from({ length: 6 }, () => {
      const child = spawnDocket(args, { DATABASE_URL: connectionString, PROJECT })
      return { child, ended: outcomeOf(child) }
    })
    await Promise.all(started.map(({ child }) => waitFor(child, isUp)))
    const workers = `SELECT DISTINCT application_name FROM pg_stat_activity
      WHERE datname = current_database() AND application_name LIKE 'docket worker %'`
    await until('six workers look for jobs', async () => (await pool.query(workers)).rowCount === 6)
    await Promise.all(started.map((one) => endWell(one, 'SIGINT')))
  })
