/**
 * Sends an export to the client: the chunks as the thread posts them, and a manifest at the end if
 * requested.
 */
import type { FastifyReply } from 'fastify'
import type { Tally } from './export-runs.ts'
import type { Chunk, Sent } from './export-task.ts'
import type { Cancel, ExportListener } from './export-threads.ts'

type Outcome =
  | { readonly kind: 'exportEnded'; readonly rows: number; readonly bytes: number }
  | { readonly kind: 'exportAborted'; readonly rows: number; readonly error: Error }
  | { readonly kind: 'exportLeft'; readonly rows: number }
  /** The reader was too slow. */
  | { readonly kind: 'exportCut'; readonly rows: number }

type SendOptions = {
  readonly reply: FastifyReply
  /** Headers of a successful answer. */
  readonly headers: Readonly<Record<string, string>>
  readonly withManifest: boolean
  /** Maximum time in which the reader accepts no chunk, in milliseconds. */
  readonly stallMs: number
  /** Starts the export; throws when it cannot be. */
  readonly run: (listener: ExportListener) => Cancel
  /** What was written so far. */
  readonly tally: Tally
  /** Called once, for an export that has begun or that the client left before. */
  readonly onEnd: (outcome: Outcome) => void
}

/**
 * Answers when the first bytes are there, so that an error before them is rejected like any other.
 * After them an error cuts the connection.
 */
export const sendExport = async (options: SendOptions): Promise<FastifyReply> => {
  const { reply } = options
  const answer = new Answer(options)
  // A client that has already left sends no further close event.
  if (reply.raw.destroyed || reply.request.raw.socket.destroyed) answer.onClose()
  else answer.start()
  await answer.begun
  return reply.hijack()
}

/**
 * The answer to one export, written to the socket directly; buffers are returned when the socket has
 * taken them.
 */
class Answer implements ExportListener {
  readonly #options: SendOptions
  readonly #begun = Promise.withResolvers<void>()
  #cancel: Cancel | undefined
  #isBegun = false
  #isOver = false
  /** Chunks that were written and not yet taken by the socket. */
  #pending = 0
  #stall: NodeJS.Timeout | undefined

  constructor(options: SendOptions) {
    this.#options = options
  }

  /** Settles with the first bytes, with an error before them, or when the client leaves. */
  get begun(): Promise<void> {
    return this.#begun.promise
  }

  start(): void {
    this.#cancel = this.#options.run(this)
    this.#raw.once('close', () => this.onClose())
  }

  onChunk({ buffer, length, rows }: Chunk, release: () => void): void {
    this.#begin()
    const { tally } = this.#options
    tally.rows = rows
    tally.bytes += length
    this.#expect(1)
    this.#raw.write(new Uint8Array(buffer, 0, length), (error) => {
      if (error) return
      this.#expect(-1)
      release()
    })
  }

  onSent({ rows, digest, fileDigest }: Sent): void {
    this.#begin()
    Object.assign(this.#options.tally, { rows, fileDigest })
    // Trailers (RFC 9110, 6.5), with a digest by RFC 3230; they come only after a whole answer.
    if (this.#options.withManifest)
      this.#raw.addTrailers({ 'X-Row-Count': String(rows), Digest: `sha-256=${digest}` })
    this.#expect(1)
    this.#raw.end(() => this.#end({ kind: 'exportEnded', rows, bytes: this.#options.tally.bytes }))
  }

  onFailed(error: Error): void {
    if (!this.#isBegun) {
      this.#isOver = true
      this.#begun.reject(error)
      return
    }
    this.#end({ kind: 'exportAborted', rows: this.#options.tally.rows, error })
    this.#reset()
  }

  onClose(): void {
    if (this.#isOver) return
    this.#cancel?.()
    this.#end({ kind: 'exportLeft', rows: this.#options.tally.rows })
    this.#begun.resolve()
  }

  /**
   * Cuts a reader that takes nothing for too long, to free the slot; the reader sees that the answer is
   * incomplete.
   */
  #expect(change: 1 | -1): void {
    this.#pending += change
    clearTimeout(this.#stall)
    if (this.#pending === 0 || this.#isOver) return
    this.#stall = setTimeout(() => {
      this.#cancel?.()
      this.#end({ kind: 'exportCut', rows: this.#options.tally.rows })
      this.#reset()
    }, this.#options.stallMs)
  }

  /**
   * Resets the connection: over HTTP/1.0 a normal end would look like a complete answer. An answer that
   * waits behind others on its connection has no socket yet, so the request's socket is used.
   */
  #reset(): void {
    this.#options.reply.request.raw.socket.resetAndDestroy()
  }

  get #raw() {
    return this.#options.reply.raw
  }

  #begin(): void {
    if (this.#isBegun) return
    this.#isBegun = true
    const { reply, headers } = this.#options
    reply.headers(headers)
    // The server may have named already what else the answer depends on.
    const vary = this.#raw.getHeader('vary')
    for (const [name, value] of Object.entries(reply.getHeaders()))
      if (value !== undefined) this.#raw.setHeader(name, value)
    if (typeof vary === 'string') this.#raw.appendHeader('Vary', vary)
    this.#raw.writeHead(200)
    this.#begun.resolve()
  }

  #end(outcome: Outcome): void {
    if (this.#isOver) return
    this.#isOver = true
    clearTimeout(this.#stall)
    this.#options.onEnd(outcome)
  }
}
