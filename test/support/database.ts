/** A new database per test file, dropped at the end, and templates that a whole run shares. */
import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { type Connection, createPool, type Pool } from '../../src/database/pool.ts'
import { afterwards } from './afterwards.ts'
import { until } from './wait.ts'

export type TestDatabase = {
  readonly connectionString: string
  readonly pool: Pool
  /** Closes the pool and drops the database. Throws when a connection was not released. */
  readonly drop: () => Promise<void>
}

type Opened = Pick<TestDatabase, 'connectionString' | 'pool'>

/** Copies the files, with the caches of the catalog in them: half the processor time of the usual strategy. */
const cloning = (name: string, template: string): string =>
  `CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY file_copy`

/** An empty database, or a clone of a template. */
export const createTestDatabase = async ({
  template = 'template1',
}: {
  template?: string
} = {}): Promise<TestDatabase> => {
  const name = nameInRun(randomBytes(8).toString('hex'))
  await onServer((client) => client.query(cloning(name, template)))
  const opened = open(name)
  return { ...opened, drop: afterwards(() => drop(name, opened.pool)) }
}

/**
 * Prepares a database once per test run, whichever file requests it first. Returns the name for
 * createTestDatabase. `name` is a lower case word.
 */
export const templateDatabase = async (
  name: string,
  prepare: (database: Opened) => Promise<void>,
  from = 'template1',
): Promise<string> => {
  const template = nameInRun(name)
  await onServer(async (client) => {
    await client.query('SELECT pg_advisory_lock(hashtext($1))', [template])
    const { rowCount } = await client.query('SELECT FROM pg_database WHERE datname = $1', [
      template,
    ])
    if (rowCount !== 0) return
    // Renamed at the end, so that a template whose preparation failed is never used.
    const unfinished = `${template}_${randomBytes(4).toString('hex')}`
    await client.query(cloning(unfinished, from))
    const opened = open(unfinished)
    try {
      await prepare(opened)
    } finally {
      await close(opened.pool)
    }
    // A pooler keeps connections.
    await client.query(
      'SELECT pg_terminate_backend(pid, 30000) FROM pg_stat_activity WHERE datname = $1',
      [unfinished],
    )
    await client.query(`ALTER DATABASE ${unfinished} RENAME TO ${template}`)
  })
  return template
}

/** A connection of a pool for one test, which closes it, with the transaction that it is in. */
export const connectionOf = async (pool: Pool): Promise<Connection> => {
  const connection = await pool.connect()
  afterwards(async () => connection.release(true))
  return connection
}

/** Drops the databases of this run on a server that outlives it. */
export const dropDatabasesOfRun = (): Promise<void> =>
  onServer(async (client) => {
    const { rows } = await client.query<{ datname: string }>(
      'SELECT datname FROM pg_database WHERE starts_with(datname, $1)',
      [nameInRun('')],
    )
    for (const { datname } of rows) await client.query(`DROP DATABASE ${datname} WITH (FORCE)`)
  })

const nameInRun = (name: string): string => `test_${process.env.TEST_RUN ?? 'alone'}_${name}`

const urlOf = (name: string): string => {
  const server = process.env.TEST_DATABASE_URL
  if (!server) throw new Error('TEST_DATABASE_URL is not set; run the tests with npm test.')
  const url = new URL(server)
  url.pathname = `/${name}`
  return url.href
}

const onServer = async (work: (client: pg.Client) => Promise<unknown>): Promise<void> => {
  const client = new pg.Client({ connectionString: urlOf('postgres') })
  await client.connect()
  try {
    await work(client)
  } finally {
    await client.end()
  }
}

const open = (name: string): Opened => {
  const connectionString = urlOf(name)
  const pool = createPool({ connectionString, size: 10, observe: () => undefined })
  // The drop closes a leaked connection. The test fails because of the leak, not because of this.
  pool.on('connect', (client) => client.on('error', () => undefined))
  return { connectionString, pool }
}

const inUse = ({ totalCount, idleCount }: Pool): number => totalCount - idleCount

/** Closes a pool. Returns false when a connection was not released. */
const close = async (pool: Pool): Promise<boolean> => {
  // What was committed last may still be signalled, and a request ends a little later than its answer.
  const isReleased = await until('connections are released', () => inUse(pool) === 0, 5).catch(
    () => false,
  )
  const closed = pool.end()
  if (isReleased) await closed
  return isReleased
}

/** What the connections to a database run, or ran last. */
const lastStatements = async (client: pg.Client, name: string): Promise<string[]> => {
  const { rows } = await client.query<{ statement: string }>(
    `SELECT format('%s: %s', state, left(query, 300)) AS statement FROM pg_stat_activity WHERE datname = $1`,
    [name],
  )
  return rows.map(({ statement }) => statement)
}

const drop = async (name: string, pool: Pool): Promise<void> => {
  const isClean = await close(pool)
  let statements: string[] = []
  await onServer(async (client) => {
    if (!isClean) statements = await lastStatements(client, name)
    await client.query(`DROP DATABASE ${name} WITH (FORCE)`)
  })
  if (!isClean)
    throw new Error(
      `The test did not release every connection of its pool. Last statements: ${statements.join('; ')}`,
    )
}
