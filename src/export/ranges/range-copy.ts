/**
 * The COPY of one range. While the ranges before it are sent, it fills its part of the memory and then waits, and
 * PostgreSQL with it; when its turn comes, its rows are read as they arrive.
 */
import type { Readable } from 'node:stream'
import type { Batch } from '../../database/copy/copy-out.ts'

// More than a range usually has, so that it can end before its turn.
const mostHeldBytes = 8_388_608

export class RangeCopy {
  /** Resolves when its connection is idle again; rejects when the COPY fails or is stopped. */
  readonly ended: Promise<void>
  readonly #copying: Readable
  readonly #batches: AsyncIterator<Batch>
  readonly #held: Batch[] = []
  #heldBytes = 0
  #bytes = 0
  #isTurn = false
  #isOver = false
  #filling: Promise<void> | undefined

  constructor(copying: Readable) {
    this.#copying = copying
    this.#batches = copying[Symbol.asyncIterator]()
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    this.ended = promise
    this.ended.catch(() => undefined)
    copying.once('error', reject)
    copying.once('close', () =>
      copying.readableEnded ? resolve() : reject(new Error('The export was stopped.')),
    )
  }

  /** Bytes of its rows so far. */
  get bytes(): number {
    return this.#bytes
  }

  /** Begins to read before its turn. */
  hold(): void {
    this.#filling = this.#fill()
    // Whoever reads it meets the error.
    this.#filling.catch(() => undefined)
  }

  /** Its turn: all its rows. */
  async *read(): AsyncGenerator<Batch> {
    this.#isTurn = true
    yield* this.#release()
    await this.#filling
    yield* this.#release()
    while (!this.#isOver) {
      const batch = await this.#next()
      if (batch) yield batch
    }
  }

  stop(error?: Error): void {
    this.#copying.destroy(error)
  }

  async #fill(): Promise<void> {
    while (!this.#isOver && !this.#isTurn && this.#heldBytes < mostHeldBytes) {
      const batch = await this.#next()
      if (!batch) return
      this.#held.push(batch)
      this.#heldBytes += batch.bytes.length
    }
  }

  *#release(): Generator<Batch> {
    for (let batch = this.#held.shift(); batch; batch = this.#held.shift()) yield batch
  }

  async #next(): Promise<Batch | undefined> {
    const { value, done } = await this.#batches.next()
    this.#isOver = done === true
    if (this.#isOver) return undefined
    this.#bytes += value.bytes.length
    return value
  }
}
