/**
 * COPY, which the driver does not support. `COPY … TO STDOUT` is read as batches of whole rows. PostgreSQL has
 * formatted the rows; this only replaces their terminators and keeps back-pressure, so memory does not grow with the rows.
 *
 * While it runs, it reads the socket instead of the driver: it joins rows inside the buffer that they
 * arrived in and passes every other message on to the driver. The driver makes an object per row and
 * two copies of each byte: four times the processor time, measured. It relies on how the driver reads its
 * socket, so test/service/database/connections.test.ts names the version of the driver that it was checked with.
 */
import { Readable } from 'node:stream'
import type pg from 'pg'
import type { Queryable } from './pool.ts'

/** Some complete rows as bytes. */
export type Batch = { readonly bytes: Buffer; readonly rows: number }

/**
 * What ends and begins rows in the response; COPY itself ends each with a line feed. Together they have at
 * most 6 bytes: as many as a message has besides its row.
 */
export type RowTerminator = { readonly end: string; readonly separator: string }

type Reader = (chunk: Buffer) => void

// A message of the protocol: its kind, its length without the kind, its content.
const headBytes = 5
const rowKind = 'd'.charCodeAt(0)
const readyKind = 'Z'.charCodeAt(0)

/** Starts the COPY on a connection that does nothing else until it has ended. */
export const copyOut = (
  connection: Queryable,
  text: string,
  rowTerminator: RowTerminator,
): Readable => {
  const copying = new CopyOut(text, rowTerminator)
  return connection.query(copying)
}

/** A readable stream of batches that the driver drives as a query. */
class CopyOut extends Readable implements pg.Submittable {
  /** Set by a driver with a query timeout; it must be called when the query has ended. */
  callback: (() => void) | undefined
  readonly #text: string
  readonly #end: Buffer
  readonly #separator: Buffer
  #wire: pg.Connection | undefined
  #driver: Reader[] = []
  #cut: Buffer[] = []
  #cutLacks = 0
  #isFirst = true
  #isWanted = true
  #isResting = false

  constructor(text: string, { end, separator }: RowTerminator) {
    super({ objectMode: true, highWaterMark: 8 })
    this.#text = text
    this.#end = Buffer.from(end)
    this.#separator = Buffer.from(separator)
  }

  /** The connection is idle here, so the next byte begins a message. */
  submit(wire: pg.Connection): void {
    this.#wire = wire
    this.#driver = wire.stream.listeners('data') as Reader[]
    wire.stream.removeAllListeners('data')
    wire.stream.on('data', this.#take)
    wire.query(this.#text)
  }

  override _read(): void {
    this.#isWanted = true
    if (!this.#isResting) this.#wire?.stream.resume()
  }

  /** PostgreSQL sees a cancel only when its rows are read; then they are read and dropped. */
  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    this._read()
    callback(error)
  }

  handleCommandComplete(): void {}

  handleReadyForQuery(): void {
    this.callback?.()
    this.push(null)
  }

  handleError(error: Error): void {
    this.callback?.()
    this.destroy(error)
  }

  readonly #take = (chunk: Buffer): void => {
    this.#rest()
    let rest = chunk
    while (this.#cut.length > 0 && rest.length > 0) rest = this.#completeCut(rest)
    if (rest.length > 0) this.#readMessages(rest)
  }

  /**
   * One read of the socket per turn of the event loop: libuv would continue for up to 32, while the other
   * exports of the thread wait.
   */
  #rest(): void {
    this.#wire?.stream.pause()
    if (this.#isResting) return
    this.#isResting = true
    setImmediate(() => {
      this.#isResting = false
      if (this.#isWanted) this.#wire?.stream.resume()
    })
  }

  /** Completes the message that the last read cut; returns the bytes after it. */
  #completeCut(chunk: Buffer): Buffer {
    const part = chunk.subarray(0, this.#cutLacks)
    this.#cut.push(part)
    this.#cutLacks -= part.length
    if (this.#cutLacks === 0) {
      const message = Buffer.concat(this.#cut)
      this.#cut = []
      this.#readMessages(message)
    }
    return chunk.subarray(part.length)
  }

  /**
   * Joins the rows of complete messages to one batch, inside `chunk`; keeps an incomplete message for
   * later.
   */
  #readMessages(chunk: Buffer): void {
    let at = 0
    let filled = 0
    let rows = 0
    const handOn = () => {
      if (rows > 0 && !this.destroyed)
        this.#isWanted = this.push({ bytes: chunk.subarray(0, filled), rows } satisfies Batch)
    }
    while (chunk.length - at >= headBytes) {
      const next = at + 1 + chunk.readUInt32BE(at + 1)
      if (next > chunk.length) break
      if (chunk[at] !== rowKind) {
        handOn()
        this.#tellDriver(chunk.subarray(at, next))
        // The next rows begin a new batch.
        if (next < chunk.length) this.#readMessages(chunk.subarray(next))
        return
      }
      // The message without its header and without the line feed at its end.
      filled = this.#terminate(chunk, filled, at + headBytes, next - 1)
      rows += 1
      at = next
    }
    if (at < chunk.length) this.#keepCut(chunk.subarray(at))
    handOn()
  }

  /** Moves a row to the front; it never overwrites unread bytes. */
  #terminate(chunk: Buffer, filled: number, start: number, end: number): number {
    let to = filled
    if (!this.#isFirst) for (const byte of this.#separator) chunk[to++] = byte
    this.#isFirst = false
    chunk.copyWithin(to, start, end)
    to += end - start
    // A call for so few bytes would take longer than they do.
    for (const byte of this.#end) chunk[to++] = byte
    return to
  }

  /** A copy; otherwise the whole read would stay in memory. */
  #keepCut(beginning: Buffer): void {
    this.#cut = [Buffer.from(beginning)]
    const isKnown = beginning.length >= headBytes
    const needed = isKnown ? 1 + beginning.readUInt32BE(1) : headBytes
    this.#cutLacks = needed - beginning.length
  }

  #tellDriver(message: Buffer): void {
    if (message[0] === readyKind) this.#release()
    for (const reader of this.#driver) reader(message)
  }

  /** The query has ended: the driver reads again. */
  #release(): void {
    const stream = this.#wire?.stream
    stream?.off('data', this.#take)
    for (const reader of this.#driver) stream?.on('data', reader)
    this.#isWanted = true
    stream?.resume()
  }
}

/** The driver's connection with what its types leave out. */
type Wire = pg.Connection & {
  endCopyFrom: () => void
  sendCopyFail: (message: string) => void
}

type Taken = { command?: string; text?: string }

/** A running COPY on a connection that does nothing else. */
const special = /[\\\n\r\t]/g
const escapes: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
}

/** A value as a COPY of text reads it, between tabs. */
export const copiedValue = (value: string | number | boolean | null): string =>
  value === null ? '\\N' : String(value).replace(special, (one) => escapes[one] ?? one)

export type CopyIn = {
  /** Writes bytes of rows, split anywhere; resolves when it accepts more, and the bytes may be overwritten. */
  readonly write: (bytes: Buffer) => Promise<void>
  /** Ends it; returns the number of rows written. */
  readonly end: () => Promise<number>
  /** Ends it with an error, so that nothing of it is written; the connection takes statements again. */
  readonly fail: () => Promise<void>
}

const dataKind = 'd'.charCodeAt(0)

/** Sends a message with the bytes as they are, which the driver would copy; resolves when they may be used again. */
const sendCopyData = (stream: pg.Connection['stream'], bytes: Buffer): Promise<unknown> => {
  const head = Buffer.alloc(headBytes)
  head[0] = dataKind
  head.writeUInt32BE(bytes.length + headBytes - 1, 1)
  stream.cork()
  stream.write(head)
  const sent = new Promise((resolve) => stream.write(bytes, resolve))
  stream.uncork()
  return sent
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
    /** As of a COPY to the client. */
    callback: undefined as (() => void) | undefined,
    submit: (wire: pg.Connection) => wire.query(text),
    handleCopyInResponse: (wire: Wire) => begun.resolve(wire),
    handleCommandComplete: (message: Taken) => {
      rows = Number(/^COPY (\d+)$/.exec(message.text ?? '')?.[1])
    },
    handleReadyForQuery: () => {
      query.callback?.()
      done.resolve(rows)
    },
    handleError: (error: Error) => {
      query.callback?.()
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
      await Promise.race([sendCopyData(open.stream, bytes), done.promise])
    },
    end: () => {
      open.endCopyFrom()
      return done.promise
    },
    fail: async () => {
      if (!failure) open.sendCopyFail('The rows end before their end.')
      await done.promise.catch(() => undefined)
    },
  }
}
