/**
 * Applies changes without blocking writers: it waits for locks only briefly, and slow statements take
 * locks that allow writing.
 */
import {
  isLockError,
  listOldTransactions,
  listTableHolders,
  printHolders,
  tryForLocks,
} from '../database/locks.ts'
import type { Connection } from '../database/pool.ts'
import { tableName } from '../database/sql.ts'
import { errorText, StartupError } from '../errors.ts'
import { type Change, phases } from './diff/change.ts'
import { refuseChanges } from './refuse-changes.ts'

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
