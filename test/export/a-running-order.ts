/** An order handed to threads directly, without a request, and what is heard of it. */
import { createHash } from 'node:crypto'
import type { ExportTask, Sent } from '../../src/export/export-task.ts'
import type { Cancel, ExportThreads } from '../../src/export/threads/export-threads.ts'

/** Numbers from 1 to `rows`, each with 400 characters beside it. */
export const anOrder = (rows: number): ExportTask =>
  orderOf(`SELECT i, repeat(chr(97 + i % 26), 400) FROM generate_series(1, ${rows}) i`)

/** What a select answers, as CSV with a header of one name. */
export const orderOf = (select: string): ExportTask => ({
  copy: `COPY (${select}) TO STDOUT WITH (FORMAT csv)`,
  check: undefined,
  format: 'csv',
  head: {
    columns: [{ header: 'head', cell: 'text', width: 10 }],
    ...{ name: 'Sheet', escapesFormulas: true, hasByteOrderMark: false, timeZone: 'UTC' },
  },
  encoding: undefined,
  withDigest: true,
})

export type Heard = {
  readonly cancel: Cancel
  readonly chunks: () => number
  readonly rows: () => number
  /** Gives back what was kept, and from now on each chunk as it comes. */
  readonly read: () => void
  /** Rejects with the error of an export that failed. */
  readonly whole: Promise<Sent & { readonly digestOfHeard: string }>
}

/** Runs the order for a reader that takes nothing yet; undefined when there is no place. */
export const hear = (threads: ExportThreads, order: ExportTask): Heard | undefined => {
  const { promise: whole, resolve, reject } = Promise.withResolvers<Awaited<Heard['whole']>>()
  whole.catch(() => undefined)
  const hash = createHash('sha256')
  const kept: (() => void)[] = []
  let [isReading, chunks, rows] = [false, 0, 0]
  const cancel = threads.run(
    order,
    {
      onChunk: (chunk, release) => {
        chunks += 1
        rows = chunk.rows
        hash.update(new Uint8Array(chunk.buffer, 0, chunk.length))
        if (isReading) release()
        else kept.push(release)
      },
      onSent: (sent) => resolve({ ...sent, digestOfHeard: hash.digest('base64') }),
      onFailed: reject,
    },
    'somebody',
  )
  if (!cancel) return undefined
  const read = () => {
    isReading = true
    for (const release of kept.splice(0)) release()
  }
  return { cancel, chunks: () => chunks, rows: () => rows, read, whole }
}

/** Runs the order for a reader that takes everything at once. */
export const hearAll = async (threads: ExportThreads, order: ExportTask) => {
  const heard = hear(threads, order)
  heard?.read()
  return heard?.whole
}
