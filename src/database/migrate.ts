/** Brings Docket's own schema up to date: numbered SQL files, each run once, in one transaction. */
import { readdir, readFile } from 'node:fs/promises'
import { errorText, StartupError } from '../errors.ts'
import { listOldTransactions, printHolders } from './locks/lock-holders.ts'
import { tryForLocks } from './locks/lock-tries.ts'
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

const runFile = async (connection: Queryable, number: number, file: URL): Promise<void> => {
  const name = decodeURIComponent(file.pathname.split('/').at(-1) ?? '')
  const text = await readFile(file, 'utf8')
  const giveUp = async (cause: unknown) => {
    const holders = printHolders(await listOldTransactions(connection)) || 'nobody at the moment'
    return new Error(`others have used its tables for ${waitMs / 1000} s: ${holders}`, { cause })
  }
  try {
    await tryForLocks(connection, { waitMs, giveUp }, async () => {
      await connection.query(`SELECT pg_advisory_xact_lock(${migrationLock})`)
      await connection.query('CREATE SCHEMA IF NOT EXISTS docket')
      await connection.query(
        'CREATE TABLE IF NOT EXISTS docket.migration (number integer PRIMARY KEY, name text NOT NULL, applied_at timestamptz(3) NOT NULL DEFAULT now())',
      )
      // Another process may have run it while this one waited for the lock.
      if ((await appliedNumbers(connection)).has(number)) return
      await connection.query(text)
      await connection.query('INSERT INTO docket.migration (number, name) VALUES ($1, $2)', [
        number,
        name,
      ])
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
