/** Runs an export on connections of its own and returns its bytes as a stream, which ends after the last row or fails. */
import { Readable } from 'node:stream'
import { clientOf, releaseCancelled } from '../database/connections/database-client.ts'
import { type Connection, type Pool, queryOnce } from '../database/pool.ts'
import type { Position } from '../database/replicas/position.ts'
import { untilReplayed } from '../database/replicas/reads.ts'
import { apiError } from '../errors.ts'
import {
  CopyInRanges,
  type Division,
  nameSnapshot,
  type Sharing,
  takeSnapshot,
} from './copy-in-ranges.ts'
import { getFormat } from './export-formats.ts'
import type { ExportTask } from './export-task.ts'
import { divideTask } from './key-ranges.ts'

type RunningExport = {
  readonly stream: Readable
  /** Rows read so far; all of them after the stream has ended. */
  readonly rows: () => number
}

type Options = {
  readonly pool: Pool
  readonly task: ExportTask
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal
  /** Undefined: the export has one connection. */
  readonly sharing?: Sharing
  /** What a replica has to have replayed before the snapshot. */
  readonly requires?: Position | undefined
}

/**
 * Waits for the first rows, so that an error of the query can still be answered as an error. Destroying
 * the stream ends the query in PostgreSQL.
 */
export const runExport = async (options: Options): Promise<RunningExport> => {
  const { pool, task, signal } = options
  const format = getFormat(task.format)
  const { rowTerminator } = format
  const copying = new CopyInRanges({ pool, task, rowTerminator, ...(await openSnapshot(options)) })
  // PostgreSQL may sort for a long time before the first row; a cancelled export does not wait for it.
  signal.addEventListener('abort', () => copying.stop())
  const batches = copying.batches()
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
  stream.once('close', () => copying.stop())
  return { stream, rows: () => rows }
}

type Opened = { readonly first: Connection; readonly division: Division | undefined }

/**
 * A connection in a transaction whose statements all see one snapshot; the checks of the task have
 * passed.
 */
const openSnapshot = async (options: Options): Promise<Opened> => {
  const { pool, task, signal, sharing, requires } = options
  const endsAt = performance.now() + (sharing?.timeoutMs ?? 0)
  const first = await pool.connect()
  const leave = () => clientOf(first).leave(new Error('The export was stopped.'))
  signal.addEventListener('abort', leave)
  try {
    signal.throwIfAborted()
    if (requires !== undefined) await untilReplayed(first, requires)
    await takeSnapshot(pool, first)
    await refuseValues(first, task)
    const mayShare = sharing !== undefined && sharing.connectionsEach > 1
    const ranges = mayShare ? await divideTask(first, task) : undefined
    if (!mayShare || !ranges) return { first, division: undefined }
    return { first, division: { ranges, snapshot: await nameSnapshot(first), sharing, endsAt } }
  } catch (error) {
    void releaseCancelled(first)
    throw error
  } finally {
    signal.removeEventListener('abort', leave)
  }
}

const refuseValues = async (connection: Connection, { check }: ExportTask) => {
  if (!check) return
  const [row] = await queryOnce<Record<string, string | null>>(connection, check.statement)
  const wrong = check.paths.flatMap((path, index) => {
    const part = row?.[`v${index}`] ?? null
    return part === null ? [] : [part === '' ? path : `${path} (${part})`]
  })
  const [before, after] = check.says
  if (wrong.length > 0) throw apiError(check.code, `${before}${wrong.join(', ')}${after}`)
}
