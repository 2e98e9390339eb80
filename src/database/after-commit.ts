/** Collects what statements signal, and signals it after their commit. */
import { DatabasePool } from './connections/database-pool.ts'
import { createSignaller, type Signal } from './signals.ts'
import { type SignalColumn, type SignalValue, toStatement } from './sql.ts'

type Queryable = {
  readonly query: (statement: { text: string; values: unknown[] }) => Promise<unknown>
}

/** The signals of the transaction that runs on a connection. */
const collected = new WeakMap<object, Signal[]>()

/** Collects the signals of a transaction until it ends, and returns them. */
export const collectSignals = (connection: object): Signal[] => {
  const signals: Signal[] = []
  collected.set(connection, signals)
  return signals
}

/** Nothing runs in the transaction any more. */
export const stopCollecting = (connection: object): void => {
  collected.delete(connection)
}

/** Signals when the transaction of the connection is committed; immediately outside of a transaction. */
const signalAfterCommit = (database: Queryable, signals: readonly Signal[]): void => {
  const waiting = collected.get(database)
  if (waiting) waiting.push(...signals)
  else void signallerOf(database).signal(signals)
}

/** Signals the values that the rows of a statement have in its signalled columns. */
export const signalRows = (
  database: Queryable,
  columns: readonly SignalColumn[],
  rows: readonly object[],
): void => {
  const signals = columns.flatMap(({ channel, column }) => {
    const values = rows.flatMap((row) => valueIn(row, column) ?? [])
    return values.length === 0 ? [] : [{ channel, values }]
  })
  if (signals.length > 0) signalAfterCommit(database, signals)
}

const valueIn = (row: object, column: string) =>
  (row as Readonly<Record<string, SignalValue | null>>)[column]

// A connection without a pool, such as the lease of a worker, signals by itself.
const signallerOf = (database: Queryable) =>
  database instanceof DatabasePool
    ? database.signaller
    : createSignaller((statement) => database.query(toStatement(statement)))
