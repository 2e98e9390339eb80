/**
 * Reads a `COPY … TO STDOUT` as batches of whole rows. PostgreSQL has formatted the rows; this only
 * ends each as the format wants it and keeps back-pressure, so memory does not grow with the rows.
 */
import { Readable } from 'node:stream'
import type { Connection } from '../database/pool.ts'

/** Some whole rows as bytes. */
export type Batch = { readonly bytes: Buffer; readonly rows: number }

/** How rows are told apart in the answer; COPY itself ends each with a line feed. */
export type RowFrame = { readonly end: string; readonly separator: string }

/** The part of the driver's connection that a running query meets. */
type Wire = {
  query: (text: string) => void
  stream: { pause: () => void; resume: () => void }
}

const batchBytes = 65_536

/** Starts the COPY on a connection that does nothing else until it has ended. */
export const copyOut = (connection: Connection, text: string, frame: RowFrame): Readable => {
  const copying = new CopyOut(text, frame)
  // The driver takes any object of this shape as a query.
  connection.query(copying as unknown as string)
  return copying
}

/** A readable stream of batches that the driver drives as a query. */
class CopyOut extends Readable {
  readonly #text: string
  readonly #end: Buffer
  readonly #separator: Buffer
  #wire: Wire | undefined
  #buffer = Buffer.allocUnsafe(batchBytes)
  #filled = 0
  #rows = 0
  #isFirst = true

  constructor(text: string, { end, separator }: RowFrame) {
    super({ objectMode: true, highWaterMark: 4 })
    this.#text = text
    this.#end = Buffer.from(end)
    this.#separator = Buffer.from(separator)
  }

  submit(wire: Wire): void {
    this.#wire = wire
    wire.query(this.#text)
  }

  override _read(): void {
    this.#wire?.stream.resume()
  }

  /** One row: the protocol sends one message per row. */
  handleCopyData({ chunk }: { chunk: Buffer }): void {
    const needed = chunk.length + this.#separator.length + this.#end.length
    if (this.#filled + needed > this.#buffer.length) this.#flush(needed)
    // What one read of the socket brought goes on together.
    if (this.#rows === 0) process.nextTick(() => this.#flush(batchBytes))
    if (!this.#isFirst) this.#append(this.#separator, this.#separator.length)
    this.#isFirst = false
    this.#append(chunk, chunk.length - 1)
    this.#append(this.#end, this.#end.length)
    this.#rows += 1
  }

  handleCommandComplete(): void {
    this.#flush(0)
  }

  handleReadyForQuery(): void {
    this.push(null)
  }

  handleError(error: Error): void {
    this.destroy(error)
  }

  #append(bytes: Buffer, length: number): void {
    bytes.copy(this.#buffer, this.#filled, 0, length)
    this.#filled += length
  }

  /** Hands on what is there and makes room for at least `needed` bytes. */
  #flush(needed: number): void {
    if (this.#rows > 0 && !this.destroyed) {
      const batch: Batch = { bytes: this.#buffer.subarray(0, this.#filled), rows: this.#rows }
      if (!this.push(batch)) this.#wire?.stream.pause()
      this.#buffer = this.#buffer.subarray(this.#filled)
      this.#filled = 0
      this.#rows = 0
    }
    if (this.#buffer.length < Math.max(needed, 1))
      this.#buffer = Buffer.allocUnsafe(Math.max(batchBytes, needed))
  }
}
