/** Writes rows with `COPY … FROM STDIN`, which the driver does not support. */
import { once } from 'node:events'
import type pg from 'pg'
import type { Queryable } from '../pool.ts'

/** The driver's connection with what its types leave out. */
type Wire = pg.Connection & {
  sendCopyFromChunk: (chunk: Buffer) => void
  endCopyFrom: () => void
}

type Taken = { command?: string; text?: string }

/** A running COPY on a connection that does nothing else. */
export type CopyIn = {
  /** Writes bytes of rows, split anywhere; resolves when it accepts more. */
  readonly write: (bytes: Buffer) => Promise<void>
  /** Ends it; returns the number of rows written. */
  readonly end: () => Promise<number>
}

/** Starts a COPY; `text` is its statement. */
export const copyIn = async (connection: Queryable, text: string): Promise<CopyIn> => {
  const begun = Promise.withResolvers<Wire>()
  const done = Promise.withResolvers<number>()
  // Rejects for the writer; an earlier error rejects `begun`.
  done.promise.catch(() => undefined)
  let failure: Error | undefined
  let rows = 0
  const query = {
    submit: (wire: pg.Connection) => wire.query(text),
    handleCopyInResponse: (wire: Wire) => begun.resolve(wire),
    handleCommandComplete: (message: Taken) => {
      rows = Number(/^COPY (\d+)$/.exec(message.text ?? '')?.[1])
    },
    handleReadyForQuery: () => done.resolve(rows),
    handleError: (error: Error) => {
      failure = error
      begun.reject(error)
      done.reject(error)
    },
  }
  connection.query(query)
  const open = await begun.promise
  return {
    write: async (bytes) => {
      if (failure) throw failure
      open.sendCopyFromChunk(bytes)
      if (!open.stream.writableNeedDrain) return
      await Promise.race([once(open.stream, 'drain'), done.promise])
    },
    end: () => {
      open.endCopyFrom()
      return done.promise
    },
  }
}
