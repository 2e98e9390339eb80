/** Connections to PostgreSQL: how they are opened and set up, and how statements run on them. */
import type pg from 'pg'
import type { Observe } from '../observations.ts'
import { inSpan, type SpanDescription, tracerInUse } from '../spans.ts'
import { signalRows } from './after-commit.ts'
import { DatabasePool } from './connections/database-pool.ts'
import {
  limitsOf,
  setUpSession,
  transactionSettings,
  type Work,
} from './connections/session-settings.ts'
import { databaseTypes } from './row-types.ts'
import type { Signaller } from './signals.ts'
import { type Sql, type Statement, toStatement } from './sql.ts'

export type Pool = DatabasePool
export type Connection = pg.PoolClient
/** A pool or a connection inside a transaction. */
export type Queryable = Pick<pg.ClientBase, 'query'>

type PoolOptions = {
  readonly connectionString: string
  /** Whether the address leads to a pooler that assigns a session per transaction. */
  readonly isPooled?: boolean
  readonly size: number
  readonly observe: Observe
  readonly applicationName?: string
  /** What the connections are for; it decides how long PostgreSQL lets them wait. */
  readonly work?: Work
  /** How long to wait for a free connection, in milliseconds. */
  readonly waitMs?: number
  /** Sends the signals of what is committed; default: the pool itself. */
  readonly signaller?: Signaller | undefined
  /** What each use of a connection begins with; an error of it fails the use. */
  readonly beforeUse?: (connection: Connection) => Promise<void>
  /** Throws while the server is known to be away, so that no request waits for it. */
  readonly assertUp?: () => void
}

/**
 * Opens a pool. Sessions use UTC and ISO, and detect a disconnected client within half a second, even
 * during a long sort.
 */
export const createPool = ({
  connectionString,
  isPooled = false,
  size,
  observe,
  applicationName = 'docket',
  work = { kind: 'commands' },
  waitMs = 10_000,
  signaller,
  beforeUse,
  assertUp,
}: PoolOptions): Pool => {
  const { answer } = limitsOf(work)
  const pool = new DatabasePool({
    connectionString,
    max: size,
    signaller,
    beforeUse,
    assertUp,
    transactionSettings: isPooled ? transactionSettings(work) : undefined,
    connectionTimeoutMillis: waitMs,
    idleTimeoutMillis: 60_000,
    ...(answer !== undefined && { query_timeout: answer }),
    application_name: applicationName,
    keepAlive: true,
    // A silently lost connection is detected within half a minute, not after two hours.
    keepAliveInitialDelayMillis: 10_000,
    types: databaseTypes,
    onConnect: async (client) => {
      // A connection that breaks while it is in use fails its query, if one runs; without a listener the
      // process would end as well.
      client.on('error', () => undefined)
      if (!isPooled) await setUpSession(client, work)
    },
  })
  pool.on('error', (error) => observe({ kind: 'databaseConnectionLost', error }))
  return pool
}

const maxPreparedText = 16_384

/**
 * Names of prepared statements by their text. Each stays in every connection, with its plan and several
 * times its text.
 */
const createNames = (prefix: string, most: number, maxCharacters: number) => {
  const names = new Map<string, string>()
  let characters = 0
  return {
    find: (text: string): string | undefined => names.get(text),
    hasRoom: (text: string): boolean =>
      text.length <= maxPreparedText &&
      names.size < most &&
      characters + text.length <= maxCharacters,
    add: (text: string): string => {
      const name = `${prefix}${names.size + 1}`
      names.set(text, name)
      characters += text.length
      return name
    },
  }
}

const ofDefinitions = createNames('s', 500, 1_000_000)
const ofRequests = createNames('q', 300, 600_000)

// A statement that is text already is sent unchanged.
const printed = (statement: Sql | Statement): Statement =>
  'parts' in statement ? toStatement(statement) : statement

/**
 * Runs a statement, prepared once per connection, and returns its rows. For statements that depend only on
 * the definitions: after 500 of them, or a million characters in all, new ones run like `queryOnce`.
 */
export const queryRows = async <Row extends object>(
  database: Queryable,
  statement: Sql | Statement,
): Promise<Row[]> => {
  const print = printed(statement)
  return run(database, print, statementName(print.text))
}

/** Runs a statement like `queryRows`, and returns its first row. */
export const queryRow = async <Row extends object>(
  database: Queryable,
  statement: Sql | Statement,
): Promise<Row | undefined> => (await queryRows<Row>(database, statement))[0]

/** Runs a statement like `queryRows`, and returns the first column of its rows. */
export const queryValues = async <Value>(
  database: Queryable,
  statement: Sql | Statement,
): Promise<Value[]> =>
  (await queryRows<Record<string, Value>>(database, statement)).flatMap((row) =>
    Object.values(row).slice(0, 1),
  )

/** The first column of its first row. */
export const queryValue = async <Value>(
  database: Queryable,
  statement: Sql | Statement,
): Promise<Value | undefined> => (await queryValues<Value>(database, statement))[0]

/** The number that it selects; 0 without a row. */
export const queryCount = async (
  database: Queryable,
  statement: Sql | Statement,
): Promise<number> => (await queryValue<number>(database, statement)) ?? 0

/** Whether it has a row. */
export const hasRows = async (database: Queryable, statement: Sql | Statement): Promise<boolean> =>
  (await queryRows(database, statement)).length > 0

/**
 * Runs a statement whose text depends on a request. There is any number of such texts, so one is prepared
 * only when it is repeated, and only some hundreds of them: planning costs more than most searches.
 */
export const queryShaped = async <Row extends object>(
  database: Queryable,
  statement: Sql | Statement,
): Promise<Row[]> => {
  const print = printed(statement)
  return run(database, print, shapeName(print.text))
}

/** Runs a statement that leaves nothing in the connection. */
export const queryOnce = async <Row extends object>(
  database: Queryable,
  statement: Sql | Statement,
): Promise<Row[]> => run(database, printed(statement))

/** Runs a statement like `queryOnce`, and returns the number of rows that it changed. */
export const execute = async (database: Queryable, statement: Sql | Statement): Promise<number> =>
  (await ask(database, printed(statement))).rowCount ?? 0

const run = async <Row extends object>(
  database: Queryable,
  statement: Statement,
  name?: string,
): Promise<Row[]> => (await ask<Row>(database, statement, name)).rows

/** Everything but exports runs here; what the statement signals follows its commit. */
const ask = async <Row extends object>(
  database: Queryable,
  { text, values, signals }: Statement,
  name?: string,
): Promise<pg.QueryResult<Row>> => {
  const query = () => database.query<Row>({ text, values, ...(name && { name }) })
  const result = await (tracerInUse() ? inSpan(spanOf(text), query) : query())
  if (signals) signalRows(database, signals, result.rows)
  return result
}

const maxTracedText = 2000

/** Its text has no values: these are parameters. */
const spanOf = (text: string): SpanDescription => {
  const [operation = 'query'] = /\w+/.exec(text) ?? []
  return {
    name: operation,
    kind: 'client',
    attributes: {
      'db.system.name': 'postgresql',
      'db.operation.name': operation,
      'db.query.text': text.trim().slice(0, maxTracedText),
    },
  }
}

const statementName = (text: string): string | undefined =>
  ofDefinitions.find(text) ?? (ofDefinitions.hasRoom(text) ? ofDefinitions.add(text) : undefined)

const preparedFrom = 3
const maxSeen = 1000
const seen = new Map<string, number>()

const shapeName = (text: string): string | undefined => {
  const name = ofRequests.find(text)
  if (name || !ofRequests.hasRoom(text)) return name
  const times = (seen.get(text) ?? 0) + 1
  seen.delete(text)
  if (times >= preparedFrom) return ofRequests.add(text)
  if (seen.size >= maxSeen) seen.clear()
  seen.set(text, times)
  return undefined
}
