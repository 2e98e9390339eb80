/** What a process costs that has nothing to do: statements, processor time, memory. Linux only. */
import { readFile } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import type { Environment } from '../environment.ts'
import { memoryMiB } from '../memory.ts'
import type { Program } from '../programs.ts'
import { note, type Row, type Table } from '../report.ts'

/** After a start, whose last statements PostgreSQL counts up to ten seconds later. */
const settleMs = 20_000
/** Of the measurement. */
const measureMs = 30_000

export const measureIdle = async (environment: Environment): Promise<Table> => {
  const starts = [
    { what: 'docket start', start: () => environment.startService() },
    { what: 'docket start --no-jobs', start: () => environment.startService(['--no-jobs']) },
    { what: 'docket worker', start: () => environment.startWorker({ LOG_LEVEL: 'info' }) },
  ]
  // What ran before leaves work for autovacuum, whose transactions would be counted too.
  await environment.pool.query('ALTER SYSTEM SET autovacuum = off')
  await environment.pool.query('SELECT pg_reload_conf()')
  const rows: Row[] = []
  for (const { what, start } of starts) {
    note(`Watching an idle ${what} …\n`)
    rows.push({ what, ...(await watchIdle(environment, await start())) })
  }
  return { title: 'A process with nothing to do', rows }
}

const watchIdle = async (environment: Environment, { pid, stop }: Program): Promise<Row> => {
  await delay(settleMs)
  const before = { statements: await statementsOf(environment), ticks: await ticksOf(pid) }
  await delay(measureMs)
  const seconds = measureMs / 1000
  const row = {
    // One is that of the count itself.
    'statements/s': ((await statementsOf(environment)) - before.statements - 1) / seconds,
    // A tick is a hundredth of a second (proc(5)), so ticks per second are percent of a processor.
    'CPU %': ((await ticksOf(pid)) - before.ticks) / seconds,
    MiB: await memoryMiB(pid, 'VmRSS'),
  }
  await stop()
  return row
}

/** Transactions of the database: what an idle process sends is hardly ever more than one statement each. */
const statementsOf = async ({ pool }: Environment): Promise<number> => {
  const { rows } = await pool.query<{ count: number }>(
    'SELECT (xact_commit + xact_rollback)::integer AS count FROM pg_stat_database WHERE datname = current_database()',
  )
  return rows[0]?.count ?? 0
}

/** Of the user and of the system. */
const ticksOf = async (pid: number): Promise<number> => {
  const status = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  const [user, system] = status
    .slice(status.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13)
  return Number(user ?? 0) + Number(system ?? 0)
}
