/**
 * Brings Docket's own schema up to date: numbered SQL files, each run once, in one transaction. One whose first line is
 * `-- outside of a transaction` runs statement by statement while others write, for indexes of large tables.
 */
import { readdir, readFile } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { errorText, StartupError } from '../errors.ts'
import { isLockError, listOldTransactions, printHolders, tryForLocks } from './locks.ts'
import type { Queryable } from './pool.ts'

const migrations = new URL('./migrations/', import.meta.url)
const oldestVersion = 150000

// An arbitrary number: the advisory lock of the process that runs a file.
const migrationLock = 7_305_114_003
const waitMs = 60_000

/** Runs missing files; each file runs once, also when several processes start at once. */
export const migrate = async (connection: Queryable, directory = migrations): Promise<void> => {
  await refuseOldServer(connection)
  for (const name of await findMissingMigrations(connection, directory))
    await runFile(connection, numberOf(name), new URL(name, directory))
}

/** The files that are still missing, in order. */
export const findMissingMigrations = async (
  connection: Queryable,
  directory = migrations,
): Promise<string[]> => {
  const applied = await appliedNumbers(connection)
  return (await filesOf(directory)).filter((name) => !applied.has(numberOf(name)))
}

const filesOf = async (directory: URL): Promise<string[]> =>
  (await readdir(directory)).filter((name) => /^\d{4}-.*\.sql$/.test(name)).sort()

const numberOf = (name: string): number => Number(name.slice(0, 4))

/** The number of the newest file of this version. */
export const newestMigration = async (): Promise<number> =>
  numberOf((await filesOf(migrations)).at(-1) ?? '')

/** Throws when the server is too old. */
export const refuseOldServer = async (connection: Queryable): Promise<void> => {
  const { rows } = await connection.query<{ number: string; name: string }>(
    `SELECT current_setting('server_version_num') AS number, current_setting('server_version') AS name`,
  )
  const [version] = rows
  if (Number(version?.number) < oldestVersion)
    throw new StartupError(
      `Docket needs PostgreSQL 15 or newer; DATABASE_URL points to ${version?.name}.`,
    )
}

const appliedNumbers = async (connection: Queryable): Promise<ReadonlySet<number>> => {
  const { rowCount } = await connection.query(
    `SELECT FROM pg_tables WHERE schemaname = 'docket' AND tablename = 'migration'`,
  )
  if (rowCount === 0) return new Set()
  const { rows } = await connection.query<{ number: number }>('SELECT number FROM docket.migration')
  return new Set(rows.map(({ number }) => Number(number)))
}

const outsideMark = '-- outside of a transaction\n'

const runFile = async (connection: Queryable, number: number, file: URL): Promise<void> => {
  const name = decodeURIComponent(file.pathname.split('/').at(-1) ?? '')
  const text = await readFile(file, 'utf8')
  const migration = { number, name, text }
  return text.startsWith(outsideMark)
    ? runOutside(connection, migration)
    : runInTransaction(connection, migration)
}

type Migration = { readonly number: number; readonly name: string; readonly text: string }

const runInTransaction = async (
  connection: Queryable,
  { number, name, text }: Migration,
): Promise<void> => {
  const giveUp = async (cause: unknown) =>
    new Error(`others have used its tables for ${await waitedFor(connection)}`, { cause })
  try {
    await tryForLocks(connection, { waitMs, giveUp }, async () => {
      await connection.query(`SELECT pg_advisory_xact_lock(${migrationLock})`)
      await createNumbers(connection)
      // Another process may have run it while this one waited for the lock.
      if ((await appliedNumbers(connection)).has(number)) return
      await connection.query(text)
      await storeNumber(connection, number, name)
    })
  } catch (error) {
    throw new StartupError(
      `The migration ${name} failed and was rolled back: ${errorText(error)}`,
      {
        cause: error,
      },
    )
  }
}

/** Each statement may run twice: if the process is killed, the next one runs the file again from its beginning. */
const runOutside = async (
  connection: Queryable,
  { number, name, text }: Migration,
): Promise<void> => {
  await lockForSession(connection)
  try {
    await createNumbers(connection)
    if ((await appliedNumbers(connection)).has(number)) return
    for (const statement of statementsOf(text)) await connection.query(statement)
    await storeNumber(connection, number, name)
  } catch (error) {
    const why = isLockError(error)
      ? `it waited for transactions of others for ${await waitedFor(connection)}`
      : errorText(error)
    throw new StartupError(`The migration ${name} failed; the next start runs it again: ${why}`, {
      cause: error,
    })
  } finally {
    await connection
      .query(`RESET lock_timeout; SELECT pg_advisory_unlock(${migrationLock})`)
      .catch(() => undefined)
  }
}

/** A statement ends with a semicolon at the end of a line. */
const statementsOf = (text: string): string[] =>
  text
    .split(/;[ \t]*(?:\n|$)/)
    .filter((statement) => statement.replace(/^\s*--.*$/gm, '').trim() !== '')

const lockPauseMs = 100

/** Polls, because an index that is built waits for every statement that waits. */
const lockForSession = async (connection: Queryable): Promise<void> => {
  const tryLock = async () => {
    const { rows } = await connection.query<{ taken: boolean }>(
      `SELECT pg_try_advisory_lock(${migrationLock}) AS taken`,
    )
    return rows[0]?.taken === true
  }
  while (!(await tryLock())) await delay(lockPauseMs)
  await connection.query(`SET lock_timeout = ${waitMs}`)
}

const waitedFor = async (connection: Queryable): Promise<string> => {
  const holders = printHolders(await listOldTransactions(connection)) || 'nobody at the moment'
  return `${waitMs / 1000} s: ${holders}`
}

const createNumbers = async (connection: Queryable): Promise<void> => {
  await connection.query('CREATE SCHEMA IF NOT EXISTS docket')
  await connection.query(
    'CREATE TABLE IF NOT EXISTS docket.migration (number integer PRIMARY KEY, name text NOT NULL, applied_at timestamptz(3) NOT NULL DEFAULT now())',
  )
}

const storeNumber = async (connection: Queryable, number: number, name: string): Promise<void> => {
  await connection.query('INSERT INTO docket.migration (number, name) VALUES ($1, $2)', [
    number,
    name,
  ])
}
