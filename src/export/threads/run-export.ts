/**
 * Runs an export on a connection of its own and returns its bytes as a stream, which ends after the last
 * row or fails.
 */
import { Readable } from 'node:stream'
import { cancelled, closeNow } from '../../database/connections/cancel-query.ts'
import { copyOut } from '../../database/copy/copy-out.ts'
import { type Connection, type Pool, queryOnce } from '../../database/pool.ts'
import { apiError } from '../../errors.ts'
import { getFormat } from '../export-formats.ts'
import type { ExportTask } from '../export-task.ts'

export type RunningExport = {
  readonly stream: Readable
  /** Rows read so far; all of them after the stream has ended. */
  readonly rows: () => number
}

type Options = {
  readonly pool: Pool
  readonly task: ExportTask
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal
}

/**
 * Waits for the first rows, so that an error of the query can still be answered as an error. Destroying
 * the stream ends the query in PostgreSQL.
 */
export const runExport = async (options: Options): Promise<RunningExport> => {
  const { task, signal } = options
  const format = getFormat(task.format)
  const connection = await openSnapshot(options)
  const copying = copyOut(connection, task.copy, format.rowTerminator)
  copying.once('close', () => release(connection, copying.readableEnded))
  // PostgreSQL may sort for a long time before the first row; a cancelled export does not wait for it.
  signal.addEventListener('abort', () => copying.destroy())
  const batches = copying[Symbol.asyncIterator]()
  const first = await batches.next()
  let rows = 0
  const counted = async function* () {
    for (let next = first; !next.done; next = await batches.next()) {
      rows += next.value.rows
      yield next.value
    }
  }
  const stream = Readable.from(format.encode(counted(), task.meta), {
    objectMode: false,
    highWaterMark: 131_072,
  })
  // Also when it is destroyed before the first read: then the generator has not begun and cannot clean
  // up.
  stream.once('close', () => copying.destroy())
  return { stream, rows: () => rows }
}

/**
 * A connection in a transaction whose statements all see one snapshot; the checks of the task have
 * passed.
 */
const openSnapshot = async ({ pool, task, signal }: Options): Promise<Connection> => {
  const connection = await pool.connect()
  const leave = () => void cancelled(connection).then(() => closeNow(connection))
  signal.addEventListener('abort', leave)
  try {
    signal.throwIfAborted()
    await pool.begin(connection, 'REPEATABLE READ READ ONLY')
    await refuseLongCells(connection, task)
    return connection
  } catch (error) {
    connection.release(true)
    throw error
  } finally {
    signal.removeEventListener('abort', leave)
  }
}

/**
 * Returns the connection to the pool after the last row. Before it, the query is cancelled and the connection
 * closed.
 */
const release = (connection: Connection, isWhole: boolean): void => {
  if (isWhole)
    connection.query('COMMIT').then(
      () => connection.release(),
      () => connection.release(true),
    )
  else void cancelled(connection).then(() => connection.release(true))
}

const refuseLongCells = async (connection: Connection, { check, format }: ExportTask) => {
  if (!check) return
  const [row] = await queryOnce<Record<string, boolean>>(connection, check.statement)
  const long = check.paths.filter((_, index) => row?.[`v${index}`])
  if (long.length > 0)
    throw apiError(
      'export.cell-too-long',
      `A cell of ${format} holds ${check.longest} characters; longer texts are in ${long.join(', ')}.`,
    )
}
