/** Brings Docket's own schema up to date: numbered SQL files, each run once, in one transaction. */
import { readdir, readFile } from 'node:fs/promises'
import { StartFault } from '../errors.ts'
import type { Queryable } from './pool.ts'

const directory = new URL('./migrations/', import.meta.url)
const oldestVersion = 150000

/** Runs what is missing. The caller holds the lock that lets one process at a time do this. */
export const migrate = async (connection: Queryable): Promise<void> => {
  await refuseOldServer(connection)
  await connection.query('CREATE SCHEMA IF NOT EXISTS docket')
  await connection.query(
    'CREATE TABLE IF NOT EXISTS docket.migration (number integer PRIMARY KEY, name text NOT NULL, applied_at timestamptz(3) NOT NULL DEFAULT now())',
  )
  const { rows } = await connection.query<{ number: number }>('SELECT number FROM docket.migration')
  const applied = new Set(rows.map((row) => row.number))
  const names = (await readdir(directory)).filter((name) => /^\d{4}-.*\.sql$/.test(name)).sort()
  for (const name of names) {
    const number = Number(name.slice(0, 4))
    if (!applied.has(number)) await runFile(connection, number, name)
  }
}

const runFile = async (connection: Queryable, number: number, name: string) => {
  const text = await readFile(new URL(name, directory), 'utf8')
  await connection.query('BEGIN')
  try {
    await connection.query(text)
    await connection.query('INSERT INTO docket.migration (number, name) VALUES ($1, $2)', [number, name])
    await connection.query('COMMIT')
  } catch (error) {
    await connection.query('ROLLBACK')
    throw new StartFault(`The migration ${name} failed: ${(error as Error).message}`, { cause: error })
  }
}

const refuseOldServer = async (connection: Queryable) => {
  const { rows } = await connection.query<{ number: string; name: string }>(
    `SELECT current_setting('server_version_num') AS number, current_setting('server_version') AS name`,
  )
  const [version] = rows
  if (Number(version?.number) < oldestVersion)
    throw new StartFault(`Docket needs PostgreSQL 15 or newer; DATABASE_URL leads to ${version?.name}.`)
}
