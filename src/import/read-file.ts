/**
 * Reads files into the tables of their runs: in a thread each, with a connection each. What a thread reads is written before it reads
 * on, so that memory does not grow with the file.
 */
import type { Readable } from 'node:stream'
import { receiveUnnamed, refuseLarger } from '../blobs/received-file.ts'
import { copyIn } from '../database/copy.ts'
import { type Connection, type Pool, queryOnce } from '../database/pool.ts'
import { runOutsideRequest } from '../database/request-context.ts'
import { sql } from '../database/sql.ts'
import { transaction } from '../database/transaction.ts'
import type { Entity } from '../definitions/catalog.ts'
import { apiError, errorText } from '../errors.ts'
import type { Observe } from '../observations.ts'
import {
  programBeside,
  type ServiceThread,
  startServiceThread,
} from '../processes/service-thread.ts'
import { indexedBytesOf } from '../records/write/check-values.ts'
import type { ImportColumn, ImportPlan } from './import-plan.ts'
import type { LineColumns } from './read/lines-of-rows.ts'
import type { MappedColumn } from './read/mapping.ts'
import type { GivenDialect, Sheet } from './read/sheet.ts'
import { type ReadReport, type ReadRequest, type ReadSettings, sentColumn } from './read-task.ts'
import { enqueueRun, lockRun, updateRun } from './run-store.ts'
import { copyStaged, createStaged, indexStaged, stagedTable } from './staged-rows.ts'

type Opened = Pick<Sheet, 'heads' | 'sample' | 'dialect'>

/** A file that is open, and waits for what is done with its columns. */
type OpenFile = {
  readonly sheet: Opened
  readonly close: () => Promise<void>
  /** Reads it into the table of a run in the background; how it ends is noted at the run. */
  readonly readInto: (run: ReadRun) => void
}

type ReadRun = {
  readonly id: number
  readonly plan: ImportPlan
  readonly entity: Entity
  readonly columns: readonly ImportColumn[]
  readonly mapped: readonly MappedColumn[]
  readonly lineColumns: LineColumns | undefined
}

/** A file as it is sent. */
type SentFile = {
  readonly body: Readable
  /** As its head says; 0 if that does not say it. */
  readonly bytes: number
}

export type FileReads = {
  /**
   * Receives a file and opens it; throws import.unreadable, and before anything of it is received request.saturated and
   * request.too-large.
   */
  readonly open: (sent: SentFile, given: GivenDialect) => Promise<OpenFile>
  readonly stop: () => Promise<void>
}

type Options = {
  /** Opens a pool for one reading. */
  readonly openPool: () => Pool
  readonly observe: Observe
  /** The largest file. */
  readonly limitBytes: number
}

/** Files that one process receives and reads at the same time. */
const readsAtOnce = 2
const maxHeapMiB = 256
const maxYoungMiB = 8
const stopTimeoutMs = 1_000
const closeWithinMs = 1_000
/** Of files with at most so many rows, nothing is written where one has a fault. */
const smallFile = 5_000
const noteEveryMs = 1_000

const saturated = () =>
  apiError('request.saturated', `${readsAtOnce} files are being imported.`, {
    headers: { 'Retry-After': '5' },
  })

export const createFileReads = (options: Options): FileReads => {
  const running = new Set<() => Promise<void>>()
  return {
    open: async ({ body, bytes }, given) => {
      if (running.size >= readsAtOnce) throw saturated()
      refuseLarger(bytes, options.limitBytes)
      let thread: Reader | undefined
      const close = async () => {
        await thread?.program.stop(stopTimeoutMs)
        running.delete(close)
      }
      running.add(close)
      try {
        const file = await receiveUnnamed(body, options)
        const reader = startReader({ file, given })
        thread = reader
        const sheet = await reader.opened()
        const readInto = (run: ReadRun) => {
          const reading = runOutsideRequest(() => read(options, reader, run))
          void reading.then(close)
        }
        return { sheet, close, readInto }
      } catch (error) {
        await close()
        throw error
      }
    },
    stop: async () => {
      await Promise.all([...running].map((close) => close()))
    },
  }
}

type Reader = {
  readonly program: ServiceThread
  readonly opened: () => Promise<Opened>
  readonly post: (request: ReadRequest) => void
  readonly next: () => Promise<ReadReport>
}

/** A thread whose reports are taken one by one. */
const startReader = (settings: ReadSettings): Reader => {
  const reports: ReadReport[] = []
  let failure: Error | undefined
  let wake = Promise.withResolvers<void>()
  const program = startServiceThread<ReadReport>({
    name: 'import',
    program: programBeside(import.meta.url, 'import-thread'),
    settings,
    transfer: [settings.file],
    maxHeapMiB,
    maxYoungMiB,
    onMessage: (report) => {
      reports.push(report)
      wake.resolve()
    },
  })
  void program.ended.then((error) => {
    failure = error
    wake.resolve()
  })
  program.worker.unref()
  const next = async (): Promise<ReadReport> => {
    for (;;) {
      const report = reports.shift()
      if (report) return report
      if (failure) throw failure
      wake = Promise.withResolvers()
      await wake.promise
    }
  }
  return {
    program,
    next,
    post: (request) =>
      program.worker.postMessage(request, request.kind === 'written' ? [request.buffer] : []),
    opened: async () => {
      const report = await next()
      if (report.kind === 'opened') return report.sheet
      throw apiError('import.unreadable', report.kind === 'fault' ? report.message : 'It is empty.')
    },
  }
}

class FileRefused extends Error {}

/** Notes at the run how it ended: checks follow, or it has failed. */
const read = async (options: Options, reader: Reader, run: ReadRun): Promise<void> => {
  const pool = options.openPool()
  try {
    await transaction(pool, (connection) => copyRows(pool, connection, reader, run))
  } catch (error) {
    const isOfFile = error instanceof FileRefused
    if (!isOfFile) options.observe({ kind: 'maintenanceFailed', task: 'readImport', error })
    const text = isOfFile
      ? error.message
      : `The file could not be read to its end: ${errorText(error)}`
    await updateRun(pool, run.id, { state: 'failed', error: text }).catch(() => undefined)
  } finally {
    await pool.endWithin(closeWithinMs)
  }
}

const copyRows = async (
  pool: Pool,
  connection: Connection,
  reader: Reader,
  { id, plan, entity, columns, mapped, lineColumns }: ReadRun,
): Promise<void> => {
  await createStaged(connection, id, columns)
  const sent = mapped.map((one) =>
    sentColumn(one, indexedBytesOf(one.list?.target ?? entity, one.column)),
  )
  reader.post({ kind: 'columns', columns: sent, lineColumns })
  const copying = await copyIn(connection, copyStaged(id, columns))
  const note = noting(pool, id)
  let rows = 0
  let notes: readonly string[] = []
  try {
    for (;;) {
      const report = await nextRows(reader)
      if (report.kind === 'end') {
        notes = report.notes
        break
      }
      await copying.write(Buffer.from(report.buffer, 0, report.length))
      reader.post({ kind: 'written', buffer: report.buffer })
      rows += report.rows
      await note(rows)
    }
  } catch (error) {
    await copying.fail()
    throw error
  }
  await copying.end()
  await indexStaged(connection, id, { hasLines: lineColumns !== undefined })
  const run = await lockRun(connection, id)
  // Removed or stopped meanwhile.
  if (run?.state !== 'reading') throw new FileRefused('It was stopped.')
  const [found] = await queryOnce<{ faulty: number }>(
    connection,
    sql`SELECT count(s.fault) AS faulty FROM ${stagedTable(id)} s`,
  )
  await updateRun(connection, id, {
    state: 'checking',
    rows,
    faulty: found?.faulty ?? 0,
    allOrNothing: plan.allOrNothing ?? rows <= smallFile,
    notes,
  })
  await enqueueRun(connection, id)
}

/** The next rows, or the end of the file; throws FileRefused. */
const nextRows = async (reader: Reader): Promise<Extract<ReadReport, { kind: 'rows' | 'end' }>> => {
  const report = await reader.next()
  if (report.kind === 'fault') throw new FileRefused(report.message)
  if (report.kind === 'opened') throw new Error('The file is open already.')
  return report
}

/**
 * Notes now and then how many rows are read; a run that is not noted has lost its process. Throws FileRefused for one that has been
 * removed, so that the rest of a large file takes no place from others.
 */
const noting = (pool: Pool, id: number) => {
  let last = 0
  return async (rows: number): Promise<void> => {
    if (Date.now() - last < noteEveryMs) return
    last = Date.now()
    if (!(await updateRun(pool, id, { rows }))) throw new FileRefused('It was removed.')
  }
}
