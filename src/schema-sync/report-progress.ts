/** Tells, while a schema change takes long, how far PostgreSQL is and whom it waits for. */
import { setTimeout as delay } from 'node:timers/promises'
import { listBlockers, printHolders } from '../database/locks.ts'
import { type Connection, type Pool, queryOnce, queryRow } from '../database/pool.ts'
import { int, sql } from '../database/sql.ts'
import type { Observe } from '../observations.ts'

const intervalMs = 5_000

type Options = {
  readonly pool: Pool
  /** The session that changes the schema. */
  readonly connection: Connection
  readonly observe: Observe
}

type Running = {
  statement: string
  seconds: number
  phase: string | null
  percent: number | null
}

/** Does the work, and reports each statement of its session that takes longer than a few seconds. */
export const reportingProgress = async <T>(
  { pool, connection, observe }: Options,
  work: () => Promise<T>,
): Promise<T> => {
  const done = new AbortController()
  const row = await queryRow<{ pid: number }>(connection, sql`SELECT pg_backend_pid() AS pid`)
  const reports = reportUntil(done.signal, () => report(pool, row?.pid ?? 0, observe))
  try {
    return await work()
  } finally {
    done.abort()
    await reports
  }
}

const reportUntil = async (signal: AbortSignal, work: () => Promise<void>): Promise<void> => {
  const pause = () => delay(intervalMs, true, { signal, ref: false }).catch(() => false)
  // Without an answer there is nothing to tell; the work itself fails by its own connection.
  while (await pause()) await work().catch(() => undefined)
}

const report = async (pool: Pool, pid: number, observe: Observe): Promise<void> => {
  const [running] = await queryOnce<Running>(
    pool,
    sql`
SELECT
  left(regexp_replace(a.query, '\\s+', ' ', 'g'), 200) AS statement,
  extract(epoch FROM clock_timestamp() - a.query_start)::integer AS seconds,
  p.phase,
  CASE
    WHEN p.blocks_total > 0 THEN 100 * p.blocks_done / p.blocks_total
    WHEN p.tuples_total > 0 THEN 100 * p.tuples_done / p.tuples_total
  END::integer AS percent
FROM pg_stat_activity a
LEFT JOIN pg_stat_progress_create_index p ON p.pid = a.pid
WHERE a.pid = ${int(pid)} AND a.state = 'active' AND a.query_start < now() - interval '3 seconds'`,
  )
  if (!running) return
  const { statement, seconds, phase, percent } = running
  const waitsFor = printHolders(await listBlockers(pool, pid))
  observe({
    kind: 'schemaChanging',
    statement,
    seconds,
    ...(phase !== null && { phase }),
    ...(percent !== null && { percent }),
    ...(waitsFor !== '' && { waitsFor }),
  })
}
