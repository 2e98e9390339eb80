/** The bytes of a file as a stream. */
import type { FileHandle } from 'node:fs/promises'
import { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import type { ByteRange } from './blob-store.ts'

/** Of smaller pieces, each of which is memory of its own, the collector has more work than the disk. */
const pieceBytes = 524_288

/**
 * Closes the file at its end. An HTTP response gets the bytes from two pieces of memory by turns, of which each is filled again when
 * the system has taken what it had: a new piece for each read costs a third more processor time. Other readers may keep what they
 * get, so theirs are new ones.
 */
export class FileStream extends Readable {
  readonly #file: FileHandle
  readonly #end: number
  #at: number

  constructor(file: FileHandle, range?: ByteRange) {
    super({ highWaterMark: pieceBytes })
    this.#file = file
    this.#at = range?.first ?? 0
    this.#end = range ? range.last + 1 : Number.POSITIVE_INFINITY
  }

  override pipe<T extends NodeJS.WritableStream>(to: T, options?: { end?: boolean }): T {
    if (!(to instanceof ServerResponse) || options?.end === false) return super.pipe(to, options)
    void this.#sendTo(to)
    return to
  }

  override _read(): void {
    const piece = Buffer.allocUnsafeSlow(pieceBytes)
    this.#readInto(piece).then(
      (bytes) => this.push(bytes === 0 ? null : piece.subarray(0, bytes)),
      (error: Error) => this.destroy(error),
    )
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#file.close().then(() => done(error), done)
  }

  /** The number of bytes that were read; 0 at the end. */
  async #readInto(piece: Buffer): Promise<number> {
    const most = Math.min(piece.length, this.#end - this.#at)
    if (most <= 0) return 0
    const { bytesRead } = await this.#file.read(piece, 0, most, this.#at)
    this.#at += bytesRead
    return bytesRead
  }

  async #sendTo(response: ServerResponse): Promise<void> {
    const places = [0, 1].map(() => ({
      piece: Buffer.allocUnsafeSlow(pieceBytes),
      taken: Promise.resolve(),
    }))
    try {
      for (let turn = 0; ; turn += 1) {
        const place = places[turn % places.length]
        await place?.taken
        const bytes = place ? await this.#readInto(place.piece) : 0
        if (!place || bytes === 0) break
        place.taken = takenBy(response, place.piece.subarray(0, bytes))
      }
      await Promise.all(places.map(({ taken }) => taken))
      response.end()
      this.push(null)
      this.resume()
    } catch (error) {
      this.destroy(error as Error)
    }
  }
}

/** Resolves when the system has taken the bytes, so that their memory is free. */
const takenBy = (response: ServerResponse, bytes: Buffer): Promise<void> => {
  const taken = new Promise<void>((resolve, reject) => {
    response.write(bytes, (error) => (error ? reject(error) : resolve()))
  })
  // It is waited for later, when the other piece is read.
  taken.catch(() => undefined)
  return taken
}
