/** Brings Docket's own schema up to date: numbered SQL files, each run once, in one transaction. */
import { readdir, readFile } from 'node:fs/promises'
import { errorText, StartFault } from '../errors.ts'
import type { Queryable } from './pool.ts'

const migrations = new URL('./migrations/', import.meta.url)
const oldestVersion = 150000

// Any number will do: held by the one process that runs a file.
const migrationLock = 7_305_114_003

/** Runs the files that are missing; when several processes do so at once, each file runs once. */
export const migrate = async (connection: Queryable, directory = migrations): Promise<void> => {
  await refuseOldServer(connection)
  const applied = await appliedNumbers(connection)
  const names = (await readdir(directory)).filter((name) => /^\d{4}-.*\.sql$/.test(name)).sort()
  for (const name of names) {
    const number = Number(name.slice(0, 4))
    if (!applied.has(number)) await runFile(connection, number, new URL(name, directory))
  }
}

/** Stops with a sentence where the server is too old to be used. */
export const refuseOldServer = async (connection: Queryable): Promise<void> => {
  const { rows } = await connection.query<{ number: string; name: string }>(
    `SELECT current_setting('server_version_num') AS number, current_setting('server_version') AS name`,
  )
  const [version] = rows
  if (Number(version?.number) < oldestVersion)
    throw new StartFault(
      `Docket needs PostgreSQL 15 or newer; DATABASE_URL leads to ${version?.name}.`,
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
  await connection.query('BEGIN')
  try {
    await connection.query(`SELECT pg_advisory_xact_lock(${migrationLock})`)
    await connection.query('CREATE SCHEMA IF NOT EXISTS docket')
    await connection.query(
      'CREATE TABLE IF NOT EXISTS docket.migration (number integer PRIMARY KEY, name text NOT NULL, applied_at timestamptz(3) NOT NULL DEFAULT now())',
    )
    // Another process may have run it while this one waited for the lock.
    if (!(await appliedNumbers(connection)).has(number)) {
      await connection.query(text)
      await connection.query('INSERT INTO docket.migration (number, name) VALUES ($1, $2)', [
        number,
        name,
      ])
    }
    await connection.query('COMMIT')
  } catch (error) {
    await connection.query('ROLLBACK').catch(() => undefined)
    throw new StartFault(
      `The migration ${name} failed, nothing of it was kept: ${errorText(error)}`,
      {
        cause: error,
      },
    )
  }
}
