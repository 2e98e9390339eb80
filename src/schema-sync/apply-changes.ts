/**
 * Applies changes of the schema in their phases, and reports, while one takes long, how far PostgreSQL is and which
 * session it waits for.
 */
import { setTimeout as delay } from 'node:timers/promises'
import {
  isLockError,
  listBlockers,
  listOldTransactions,
  listTableHolders,
  printHolders,
  tryForLocks,
} from '../database/locks.ts'
import { type Connection, type Pool, queryOnce, queryRow } from '../database/pool.ts'
import { int, sql, tableName } from '../database/sql.ts'
import { errorText, StartupError } from '../errors.ts'
import type { Observe } from '../observations.ts'
import { type Change, phases, refuseChanges } from './diff/change.ts'

const intervalMs = 5_000

type Reporting = {
  readonly pool: Pool
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
  { pool, connection, observe }: Reporting,
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
  // Without an answer there is nothing to report; the work itself fails by its own connection.
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

type Options = {
  /** How long the sync tries to get locks. */
  readonly waitMs: number
  /** Writes in the transaction of the fast changes. */
  readonly store: () => Promise<void>
}

/**
 * Applies changes phase by phase: fast ones in one transaction each, slow ones one by one. When a phase fails, earlier
 * phases stay applied, and the next sync continues from there.
 */
export const applyChanges = async (
  connection: Connection,
  changes: readonly Change[],
  options: Options,
): Promise<void> => {
  for (const { name, isTogether } of phases) {
    const own = changes.filter(({ phase = 'first' }) => phase === name)
    // What is stored belongs to the first phase.
    const store = name === 'first' ? options.store : async () => undefined
    if (isTogether) await inTransaction(connection, own, { ...options, store })
    else for (const change of own) await runAlone(connection, change, options)
  }
}

const inTransaction = async (
  connection: Connection,
  changes: readonly Change[],
  { waitMs, store }: Options,
): Promise<void> => {
  if (changes.length === 0) return store()
  const tables = [
    ...new Set(changes.flatMap(({ table }) => (table ? [tableName(table)] : []))),
  ].sort()
  const giveUp = async (cause: unknown) =>
    new StartupError(
      `${tables.join(', ')} cannot be changed, because others have used it for ${Math.round(waitMs / 1000)} s: ${await usersOf(connection, tables)}. Wait until they are done or end them, then start again; SCHEMA_WAIT_SECONDS sets how long a start tries. Writers were not blocked, and ${stateOf(changes)}.`,
      { cause },
    )
  await tryForLocks(connection, { waitMs, giveUp }, async () => {
    // All locks first and together, so that no long work is lost.
    if (tables.length > 0)
      await connection.query(`LOCK TABLE ${tables.join(', ')} IN ACCESS EXCLUSIVE MODE`)
    for (const change of changes) {
      await recheck(connection, change)
      await run(connection, change)
    }
    await store()
  })
}

/** Rejects the change when a row was added since the plan that it would lose. */
const recheck = async (connection: Connection, { unless }: Change): Promise<void> => {
  if (!unless) return
  const { rowCount } = await connection.query(unless.finds)
  if (rowCount !== 0) refuseChanges([unless.refused], false)
}

const runAlone = async (
  connection: Connection,
  change: Change,
  { waitMs }: Options,
): Promise<void> => {
  await connection.query(`SET lock_timeout = ${waitMs}`)
  try {
    await run(connection, change)
  } catch (error) {
    if (!isLockError(error)) throw error
    throw new StartupError(
      `This waited ${Math.round(waitMs / 1000)} s for transactions that began before it: ${await oldNames(connection)}. Wait until they are done or end them, then start again; changes applied before stay:\n  ${change.reason}\n    ${change.sql};`,
      { cause: error },
    )
  } finally {
    await connection.query('RESET lock_timeout').catch(() => undefined)
  }
}

const stateOf = ([change]: readonly Change[]): string =>
  (change?.phase ?? 'first') === 'first' ? 'nothing was changed' : 'earlier changes stay'

const run = async (connection: Connection, change: Change): Promise<void> => {
  try {
    await connection.query(change.sql)
  } catch (error) {
    if (isLockError(error)) throw error
    throw new StartupError(
      `PostgreSQL refused a change (${errorText(error)}); ${stateOf([change])}:\n  ${change.reason}\n    ${change.sql};`,
      { cause: error },
    )
  }
}

const usersOf = async (connection: Connection, tables: readonly string[]): Promise<string> =>
  printHolders(await listTableHolders(connection, tables)) || 'nobody at the moment'

const oldNames = async (connection: Connection): Promise<string> =>
  printHolders(await listOldTransactions(connection)) || 'nobody at the moment'
