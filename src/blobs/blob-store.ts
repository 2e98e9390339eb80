/** Where bytes are stored by their SHA-256: what every store offers. */
import type { FileHandle } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { StartupError } from '../errors.ts'

/** From the first to the last byte, both included. */
export type ByteRange = { readonly first: number; readonly last: number }

export type StoredBlob = { readonly sha256: string; readonly bytes: number }

/** A file that the store has not kept yet. */
export type NewBlob = {
  /** To write into, and to read what was written. */
  readonly file: FileHandle
  /**
   * Keeps what the file has, which is not written to any more, whether the store has it already or not, so that the time does not
   * tell. After an interruption it is there as a whole or not at all.
   */
  readonly keep: (sha256: string) => Promise<void>
  /** Closes the file; nothing is left of one that was not kept. */
  readonly close: () => Promise<void>
}

export type BlobStore = {
  /** Where it is, for people. */
  readonly name: string
  /** Whether `docket backup` takes its bytes along; a bucket has copies of its own. */
  readonly isInBackups: boolean
  /** What keeps it from being used; undefined if nothing does. */
  readonly findFault: () => Promise<string | undefined>
  /** The folder for files that are received, after it was created if necessary; throws a StartupError if it is missing. */
  readonly prepare: () => Promise<string>
  /** Begins a file in that folder. */
  readonly create: () => Promise<NewBlob>
  /** Its bytes as they are read; throws MissingBlob. */
  readonly open: (sha256: string, range?: ByteRange) => Promise<Readable>
  /** How many bytes it has; undefined if it is missing. */
  readonly sizeOf: (sha256: string) => Promise<number | undefined>
  /** Removes it; nothing happens if it is missing. */
  readonly remove: (sha256: string) => Promise<void>
  /** All of them in the order of their SHA-256, in pages. */
  readonly list: () => AsyncIterable<readonly StoredBlob[]>
  /** Removes files that were begun by processes that have ended before they kept them. */
  readonly removeAbandoned: () => Promise<void>
}

/** Throws a StartupError unless the store can be used. */
export const requireStore = async ({ findFault }: Pick<BlobStore, 'findFault'>): Promise<void> => {
  const fault = await findFault()
  if (fault !== undefined)
    throw new StartupError(
      `FILES_URL cannot be used: ${fault}. Create the folder, or mount it, for the user of the service; a bucket has to take its credentials.`,
    )
}

/** The error of bytes that should be in a store. */
export class MissingBlob extends Error {
  override name = 'MissingBlob'
  constructor(sha256: string, store: string, options?: ErrorOptions) {
    super(`${sha256} is missing in ${store}.`, options)
  }
}
