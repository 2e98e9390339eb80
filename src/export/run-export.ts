/** Runs a planned export on a connection of its own and gives its bytes as a stream that ends whole or breaks. */
import { Readable } from 'node:stream'
import { type Connection, type Pool, queryRows } from '../database/pool.ts'
import { fault } from '../errors.ts'
import { boundlessColumns, compileCopy, compileLengthCheck } from './compile-export.ts'
import { type Batch, copyOut } from './copy-out.ts'
import type { ExportFormat, ExportSheet } from './export-format.ts'
import type { ExportPlan } from './plan-export.ts'

export type RunningExport = {
  readonly stream: Readable
  /** Rows handed on so far; all of them once the stream has ended. */
  readonly rows: () => number
}

type Options = {
  readonly pool: Pool
  readonly plan: ExportPlan
  readonly format: ExportFormat
  readonly sheet: ExportSheet
  /** Aborted when the client goes away. */
  readonly left: AbortSignal
}

/**
 * Waits for the first rows before it answers, so that a fault of the query is still a fault of the
 * request. Destroying the stream ends the query in PostgreSQL.
 */
export const runExport = async ({
  pool,
  plan,
  format,
  sheet,
  left,
}: Options): Promise<RunningExport> => {
  const connection = await pool.connect()
  // A connection that breaks while it is out tells its running query; without a listener it would
  // end the process as well.
  connection.on('error', ignore)
  // PostgreSQL may look for long before the first row: nobody is to wait for that.
  const leave = () => connection.end()
  left.addEventListener('abort', leave)
  let rows = 0
  const counted = async function* (batches: AsyncIterable<Batch>) {
    for await (const batch of batches) {
      rows += batch.rows
      yield batch
    }
  }
  try {
    left.throwIfAborted()
    // Both statements see one snapshot.
    await connection.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
    await refuseLongCells(connection, plan, format)
    const copying = copyOut(connection, compileCopy(plan, format, sheet), format.frame)
    left.removeEventListener('abort', leave)
    left.addEventListener('abort', () => copying.destroy())
    const batches = copying[Symbol.asyncIterator]()
    const first = await batches.next()
    const all = released(connection, withFirst(first, batches), copying)
    const stream = Readable.from(format.encode(counted(all), sheet), {
      objectMode: false,
      highWaterMark: 131_072,
    })
    return { stream, rows: () => rows }
  } catch (error) {
    giveBack(connection, false)
    throw error
  }
}

const ignore = () => undefined

const giveBack = (connection: Connection, isIdle: boolean): void => {
  connection.off('error', ignore)
  connection.release(!isIdle)
}

async function* withFirst(first: IteratorResult<Batch>, rest: AsyncIterator<Batch>) {
  for (let next = first; !next.done; next = await rest.next()) yield next.value
}

/**
 * Gives the connection back after the last row. Before it, the connection is closed: PostgreSQL
 * then ends the query, at the latest by its check of the client twice a second.
 */
async function* released(connection: Connection, batches: AsyncIterable<Batch>, copying: Readable) {
  let isWhole = false
  try {
    yield* batches
    await connection.query('COMMIT')
    isWhole = true
  } finally {
    copying.destroy()
    giveBack(connection, isWhole)
  }
}

const refuseLongCells = async (connection: Connection, plan: ExportPlan, format: ExportFormat) => {
  if (format.longestCell === undefined) return
  const columns = boundlessColumns(plan, format.longestCell)
  if (columns.length === 0) return
  const check = compileLengthCheck(plan, columns, format.longestCell)
  const [row] = await queryRows<Record<string, boolean>>(connection, check)
  const long = columns.filter((_, index) => row?.[`v${index}`])
  if (long.length > 0)
    throw fault(
      'export.cell-too-long',
      `A cell of ${format.name} holds ${format.longestCell} characters; longer texts stand in ${long.map(({ path }) => path).join(', ')}.`,
    )
}
