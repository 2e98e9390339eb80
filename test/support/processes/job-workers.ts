/** Processes that run the test jobs, and what they have done. */
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Pool } from '../../../src/database/pool.ts'
import { endedAfterwards, outcomeOf, passedEnvironment, waitFor } from '../docket.ts'
import { addJob, type hold, type note } from '../test-jobs.ts'
import { until } from '../wait.ts'

const program = fileURLToPath(new URL('../test-jobs.ts', import.meta.url))

/** A process that runs the test jobs, four at a time. */
export const startWorker = async (connectionString: string, graceMs = 10_000) => {
  const child = endedAfterwards(
    spawn(process.execPath, [program], {
      env: { ...passedEnvironment(), DATABASE_URL: connectionString, GRACE_MS: String(graceMs) },
      stdio: ['ignore', 'pipe', 'pipe'],
    }),
  )
  const ended = outcomeOf(child)
  await waitFor(child, /"workerStarted"/)
  return { child, ended }
}

export const add = (pool: Pool, kind: typeof hold | typeof note, name: string) =>
  addJob(pool, kind, { name })
export const open = (pool: Pool, name: string) =>
  pool.query('INSERT INTO test_gate VALUES ($1)', [name])
export const tracesOf = async (pool: Pool, name: string) =>
  (
    await pool.query<{ event: string; attempt: number; pid: number }>(
      'SELECT event, attempt, pid FROM test_run WHERE name = $1 ORDER BY id',
      [name],
    )
  ).rows
export const traced = (pool: Pool, name: string, number: number) =>
  until(async () => {
    const traces = await tracesOf(pool, name)
    return traces.length >= number && traces
  })
export const isEmpty = async (pool: Pool) =>
  (await pool.query('SELECT FROM docket.job')).rowCount === 0
