/** Runs an order on a connection of its own and gives its bytes as a stream that ends whole or breaks. */
import { Readable } from 'node:stream'
import type { Client } from 'pg'
import { type Connection, type Pool, queryOnce } from '../../database/pool.ts'
import { apiError } from '../../errors.ts'
import { getFormat } from '../export-formats.ts'
import type { ExportTask } from '../export-task.ts'
import { copyOut } from './copy-out.ts'

export type RunningExport = {
  readonly stream: Readable
  /** Rows handed on so far; all of them once the stream has ended. */
  readonly rows: () => number
}

type Options = {
  readonly pool: Pool
  readonly order: ExportTask
  /** Aborted when the client goes away. */
  readonly left: AbortSignal
}

/**
 * Waits for the first rows before it answers, so that an error of the query is still an error of the
 * request. Destroying the stream ends the query in PostgreSQL.
 */
export const runExport = async (options: Options): Promise<RunningExport> => {
  const { order, left } = options
  const format = getFormat(order.format)
  const connection = await openSnapshot(options)
  const copying = copyOut(connection, order.copy, format.frame)
  copying.once('close', () => release(connection, copying.readableEnded))
  // PostgreSQL may sort for long before the first row: nobody is to wait for that.
  left.addEventListener('abort', () => copying.destroy())
  const batches = copying[Symbol.asyncIterator]()
  const first = await batches.next()
  let rows = 0
  const counted = async function* () {
    for (let next = first; !next.done; next = await batches.next()) {
      rows += next.value.rows
      yield next.value
    }
  }
  const stream = Readable.from(format.encode(counted(), order.head), {
    objectMode: false,
    highWaterMark: 131_072,
  })
  // Also when it is destroyed before anyone read: then no generator has begun that could end it.
  stream.once('close', () => copying.destroy())
  return { stream, rows: () => rows }
}

/** A connection in a transaction, whose statements all see one snapshot; the first has been run. */
const openSnapshot = async ({ pool, order, left }: Options): Promise<Connection> => {
  const connection = await pool.connect()
  const leave = () => closeNow(connection)
  left.addEventListener('abort', leave)
  try {
    left.throwIfAborted()
    await connection.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
    await refuseLongCells(connection, order)
    return connection
  } catch (error) {
    connection.release(true)
    throw error
  } finally {
    left.removeEventListener('abort', leave)
  }
}

/** Ends a connection in the middle of a statement; whoever waits for that gets an error. */
const closeNow = (connection: Connection): void => {
  ;(connection as unknown as Client).end().catch(() => undefined)
}

/**
 * Gives the connection back after the last row. Before it, the connection is closed: PostgreSQL
 * then ends the query, at the latest by its check of the client twice a second.
 */
const release = (connection: Connection, isWhole: boolean): void => {
  if (isWhole)
    connection.query('COMMIT').then(
      () => connection.release(),
      () => connection.release(true),
    )
  else connection.release(true)
}

const refuseLongCells = async (connection: Connection, { check, format }: ExportTask) => {
  if (!check) return
  const [row] = await queryOnce<Record<string, boolean>>(connection, check.statement)
  const long = check.paths.filter((_, index) => row?.[`v${index}`])
  if (long.length > 0)
    throw apiError(
      'export.cell-too-long',
      `A cell of ${format} holds ${check.longest} characters; longer texts stand in ${long.join(', ')}.`,
    )
}
