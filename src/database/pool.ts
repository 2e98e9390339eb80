/** Connections to PostgreSQL: how they are set up, lost and told apart from faults of a query. */
import pg from 'pg'
import { fault } from '../errors.ts'
import type { Observe } from '../observations.ts'
import type { Statement } from './sql.ts'

export type Pool = pg.Pool
export type Connection = pg.PoolClient
/** A pool or a connection inside a transaction. */
export type Queryable = Pick<pg.ClientBase, 'query'>

type PoolOptions = {
  readonly connectionString: string
  readonly size: number
  readonly observe: Observe
  /**
   * For statements that find few rows by their ids, and that many wait for: each is planned once, waits
   * five seconds for a lock and half a minute for an answer at most.
   */
  readonly isQuick?: boolean
  /** How long a request waits for a free connection before it is answered 503. */
  readonly waitMs?: number
}

// Rows arrive as the text PostgreSQL prints: what travels to a caller is formatted in SQL, and
// parsing dates into objects and back costs a third of a small read.
const integerTypes = new Set([20, 21, 23])
const types = {
  getTypeParser: (oid: number) => {
    if (integerTypes.has(oid)) return (text: string) => Number(text)
    if (oid === 16) return (text: string) => text === 't'
    return (text: string) => text
  },
} as pg.CustomTypesConfig

// As statements, not as options of the connection: poolers in between take no options.
const sessionSettings = `SET timezone = 'UTC'; SET datestyle = 'ISO'`
// Planning such a statement takes longer than running it, and a plan that is made while a table is empty
// is to be good when it is large.
const quickSettings = `SET plan_cache_mode = force_generic_plan; SET enable_seqscan = off; SET jit = off; SET lock_timeout = '5s'`
// Servers on macOS and Windows cannot check whether a client is still there; they refuse this one.
const checkClient = `SET client_connection_check_interval = 500`

/**
 * Opens a pool. Sessions speak UTC and ISO, and notice within half a second that their client has
 * gone, even inside a long sort.
 */
export const createPool = ({
  connectionString,
  size,
  observe,
  isQuick = false,
  waitMs = 10_000,
}: PoolOptions): Pool => {
  const pool = new pg.Pool({
    connectionString,
    max: size,
    connectionTimeoutMillis: waitMs,
    idleTimeoutMillis: 60_000,
    ...(isQuick && { query_timeout: 30_000 }),
    application_name: 'docket',
    keepAlive: true,
    // A connection that is cut off in silence is found within half a minute, not after two hours.
    keepAliveInitialDelayMillis: 10_000,
    types,
    onConnect: async (client) => {
      // A connection that breaks while it is out tells its query, if one runs; without a listener
      // it would end the process as well.
      client.on('error', () => undefined)
      await client.query(sessionSettings)
      if (isQuick) await client.query(quickSettings)
      await client.query(checkClient).catch(() => undefined)
    },
  })
  pool.on('error', (error) => observe({ kind: 'databaseConnectionLost', error }))
  return pool
}

// Many shapes of search would fill every connection with prepared statements: past this number
// they run unnamed.
const maxPreparedStatements = 500
const statementNames = new Map<string, string>()

/** Runs a statement, prepared once per connection, and gives its rows. */
export const queryRows = async <Row extends object>(
  database: Queryable,
  statement: Statement,
): Promise<Row[]> => {
  const name = statementName(statement.text)
  const result = await database.query<Row>({ ...statement, ...(name && { name }) })
  return result.rows
}

const statementName = (text: string): string | undefined => {
  const known = statementNames.get(text)
  if (known || statementNames.size >= maxPreparedStatements) return known
  const name = `s${statementNames.size + 1}`
  statementNames.set(text, name)
  return name
}

// SQLSTATE classes: 08 connection exception, 57P admin shutdown and its kind, 53 out of resources.
const unavailableStates = /^(08|57P0|53)/
const unavailableCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ENOENT',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EHOSTUNREACH',
])

/** Whether an error means that the database is away, rather than that a statement was wrong. */
export const isUnavailable = (error: unknown): boolean => {
  if (!(error instanceof Error)) return false
  if (error instanceof AggregateError) return error.errors.some(isUnavailable)
  const code = String((error as { code?: unknown }).code ?? '')
  return (
    unavailableCodes.has(code) ||
    (/^[0-9A-Z]{5}$/.test(code) && unavailableStates.test(code)) ||
    /Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|not queryable/.test(
      error.message,
    )
  )
}

/** The answer to a caller while the database is away. */
export const unavailable = (cause: unknown) =>
  fault('database.unavailable', 'The database cannot be reached now.', {
    headers: { 'Retry-After': '2' },
    cause,
  })
