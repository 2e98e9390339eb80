/** The running exports as PostgreSQL sees them: which run, what they wait for, and how to end one. */
import type { TestService } from './service.ts'
import { until } from './wait.ts'

type WithDatabase = { readonly database: Pick<TestService['database'], 'pool'> }

type Backend = { readonly pid: number; readonly waitsFor: string | null }

/** The statements of exports that run now: the COPY, or the check before it. */
export const runningExports = async ({ database }: WithDatabase): Promise<Backend[]> => {
  const { rows } = await database.pool.query(
    `SELECT pid, wait_event AS "waitsFor" FROM pg_stat_activity
     WHERE datname = current_database() AND state = 'active' AND backend_type = 'client backend'
       AND (query LIKE 'COPY (%' OR query LIKE 'SELECT min(CASE %')`,
  )
  return rows
}

/** Terminates the only running export, as a database administrator does. */
export const terminateExport = async (service: WithDatabase): Promise<void> => {
  // One whose client has just left may still be ending.
  const running = await until('one export runs', async () => {
    const [first, ...others] = await runningExports(service)
    return others.length === 0 && first
  })
  await service.database.pool.query('SELECT pg_terminate_backend($1)', [running.pid])
}

/** Waits until the only running export has filled every buffer up to a client that does not read. */
export const untilBuffersFull = (service: WithDatabase): Promise<unknown> =>
  until('PostgreSQL waits for the client', async () => {
    const [running] = await runningExports(service)
    return running?.waitsFor === 'ClientWrite'
  })
