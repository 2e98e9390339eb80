/** Writes rows with `COPY … FROM STDIN`, which the driver itself does not know. */
import { once } from 'node:events'
import type pg from 'pg'
import type { Queryable } from '../pool.ts'

/** The driver's connection with what its types leave out. */
type Wire = pg.Connection & {
  sendCopyFromChunk: (chunk: Buffer) => void
  endCopyFrom: () => void
}

type Taken = { command?: string; text?: string }

/** A COPY that is under way on a connection which does nothing else meanwhile. */
export type CopyIn = {
  /** Bytes of rows, cut anywhere; resolves when there is room for more. */
  readonly write: (bytes: Buffer) => Promise<void>
  /** Ends it; answers with how many rows the database took. */
  readonly end: () => Promise<number>
}

/** Begins a COPY; `text` is its statement. */
export const copyIn = async (connection: Queryable, text: string): Promise<CopyIn> => {
  const begun = Promise.withResolvers<Wire>()
  const done = Promise.withResolvers<number>()
  // Whoever writes hears of it; an error before that is the one of `begun`.
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
