/** An export task that is given to the threads without a request, and what they send for it. */

import { createHash } from 'node:crypto'
import { standardCsv } from '../../../src/definitions/values/rules/csv-dialects.ts'
import type { ExportTask, Sent } from '../../../src/export/export-task.ts'
import type { Cancel, ExportThreads } from '../../../src/export/export-threads.ts'

/** Numbers from 1 to `rows`, each with 400 characters. */
export const numbersTask = (rows: number): ExportTask =>
  taskOf(`SELECT i, repeat(chr(97 + i % 26), 400) FROM generate_series(1, ${rows}) i`)

/** The result of a select, as CSV with one header. */
export const taskOf = (select: string): ExportTask => ({
  copy: { select: [`SELECT * FROM (${select}) s WHERE `, ''], options: 'FORMAT csv' },
  rangeKey: undefined,
  check: undefined,
  format: 'csv',
  meta: {
    columns: [{ header: 'head', cell: 'text', digits: {}, width: 10 }],
    name: 'Sheet',
    escapesFormulas: true,
    timeZone: 'UTC',
    csv: standardCsv,
    locale: undefined,
  },
  encoding: undefined,
  withDigest: true,
})

export type Received = {
  readonly cancel: Cancel
  readonly chunks: () => number
  readonly rows: () => number
  /** Releases the held chunks, and from now on each chunk as it arrives. */
  readonly read: () => void
  /** Rejects with the error of an export that failed. */
  readonly whole: Promise<Sent & { readonly digestOfReceived: string }>
}

/** Runs the task for a reader that reads nothing yet. Undefined when no slot is free. */
export const receive = (
  threads: ExportThreads,
  task: ExportTask,
  callerKey = 'caller',
): Received | undefined => {
  const { promise: whole, resolve, reject } = Promise.withResolvers<Awaited<Received['whole']>>()
  whole.catch(() => undefined)
  const hash = createHash('sha256')
  const held: (() => void)[] = []
  let [isReading, chunks, rows] = [false, 0, 0]
  const cancel = threads.run(
    task,
    {
      onChunk: (chunk, release) => {
        chunks += 1
        rows = chunk.rows
        hash.update(new Uint8Array(chunk.buffer, 0, chunk.length))
        if (isReading) release()
        else held.push(release)
      },
      onSent: (sent) => resolve({ ...sent, digestOfReceived: hash.digest('base64') }),
      onFailed: reject,
    },
    callerKey,
  )
  if (!cancel) return undefined
  const read = () => {
    isReading = true
    for (const release of held.splice(0)) release()
  }
  return { cancel, chunks: () => chunks, rows: () => rows, read, whole }
}

/** Runs the task for a reader that reads everything immediately. */
export const receiveAll = async (threads: ExportThreads, task: ExportTask) => {
  const received = receive(threads, task)
  received?.read()
  return received?.whole
}
