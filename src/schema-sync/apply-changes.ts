/**
 * Applies changes without keeping others from writing: locks are asked for during moments only, and
 * what takes its time takes locks that let others write.
 */
import {
  listOldTransactions,
  listTableHolders,
  printHolders,
} from '../database/locks/lock-holders.ts'
import { isLockError, tryForLocks } from '../database/locks/lock-tries.ts'
import type { Connection } from '../database/pool.ts'
import { tableName } from '../database/sql.ts'
import { errorText, StartupError } from '../errors.ts'
import type { Change, Phase } from './diff/change.ts'
import { refuseChanges } from './refuse-changes.ts'

type Options = {
  /** How long locks are asked for before the sync gives up. */
  readonly waitMs: number
  /** Writes in the transaction of the quick changes. */
  readonly remember: () => Promise<void>
}

/**
 * The quick changes in one transaction, the slow ones one by one, then what had to wait for those. What
 * a phase before the failing one did stays, and the next sync goes on from there.
 */
export const applyChanges = async (
  connection: Connection,
  changes: readonly Change[],
  options: Options,
): Promise<void> => {
  const of = (wanted: Phase) => changes.filter(({ phase = 'first' }) => phase === wanted)
  await inTransaction(connection, of('first'), options)
  for (const change of of('between')) await runAlone(connection, change, options)
  await inTransaction(connection, of('last'), { ...options, remember: async () => undefined })
}

const inTransaction = async (
  connection: Connection,
  changes: readonly Change[],
  { waitMs, remember }: Options,
): Promise<void> => {
  if (changes.length === 0) return remember()
  const tables = [
    ...new Set(changes.flatMap(({ table }) => (table ? [tableName(table)] : []))),
  ].sort()
  const giveUp = async (cause: unknown) =>
    new StartupError(
      `${tables.join(', ')} cannot be changed, since others have used it for ${Math.round(waitMs / 1000)} s: ${await usersOf(connection, tables)}. Wait until they are done or end them, then start again; SCHEMA_WAIT_SECONDS says how long a start tries. Nobody was kept from writing, and ${stateOf(changes)}.`,
      { cause },
    )
  await tryForLocks(connection, { waitMs, giveUp }, async () => {
    // All at once and first of all, so that no long work is done in vain.
    if (tables.length > 0)
      await connection.query(`LOCK TABLE ${tables.join(', ')} IN ACCESS EXCLUSIVE MODE`)
    for (const change of changes) {
      await askAgain(connection, change)
      await run(connection, change)
    }
    await remember()
  })
}

/** Refuses like the plan where a row has come meanwhile that the change would lose. */
const askAgain = async (connection: Connection, { unless }: Change): Promise<void> => {
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
      `This waited ${Math.round(waitMs / 1000)} s for transactions that began before it: ${await oldOnes(connection)}. Wait until they are done or end them, then start again; what was applied before stays:\n  ${change.reason}\n    ${change.sql};`,
      { cause: error },
    )
  } finally {
    await connection.query('RESET lock_timeout').catch(() => undefined)
  }
}

const stateOf = ([change]: readonly Change[]): string =>
  (change?.phase ?? 'first') === 'first' ? 'nothing was changed' : 'what came before it stays'

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
  printHolders(await listTableHolders(connection, tables)) || 'nobody any more'

const oldOnes = async (connection: Connection): Promise<string> =>
  printHolders(await listOldTransactions(connection)) || 'nobody any more'
