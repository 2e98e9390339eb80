/** Where bytes are stored by their SHA-256: what every store offers. */
import type { FileHandle } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { StartupError } from '../errors.ts'

/** From the first to the last byte, both included. */
export type ByteRange = { readonly first: number; readonly last: number }

export type StoredBlob = { readonly sha256: string; readonly bytes: number }

export type BlobStore = {
  /** Where it is, for people. */
  readonly name: string
  /** Whether `docket backup` takes its bytes along; a bucket has copies of its own. */
  readonly isInBackups: boolean
  /** What keeps it from being used; undefined if nothing does. */
  readonly findFault: () => Promise<string | undefined>
  /** The folder for files that are received, after it was created if necessary; throws a StartupError if it is missing. */
  readonly prepare: () => Promise<string>
  /**
   * Stores what the file has, whether it is stored already or not, so that the time does not tell. After an interruption it is there as
   * a whole or not at all.
   */
  readonly put: (sha256: string, file: FileHandle) => Promise<void>
  /** Its bytes as they are read; throws MissingBlob. */
  readonly open: (sha256: string, range?: ByteRange) => Promise<Readable>
  /** How many bytes it has; undefined if it is missing. */
  readonly sizeOf: (sha256: string) => Promise<number | undefined>
  /** Removes it, also what an interrupted `put` has left of it; nothing happens if it is missing. */
  readonly remove: (sha256: string) => Promise<void>
  /** All of them in the order of their SHA-256, in pages. */
  readonly list: () => AsyncIterable<readonly StoredBlob[]>
}

/** Throws a StartupError unless the store can be used. */
export const requireStore = async ({ findFault }: Pick<BlobStore, 'findFault'>): Promise<void> => {
  const fault = await findFault()
  if (fault !== undefined)
    throw new StartupError(
      `FILES_URL cannot be used: ${fault}. Create the folder, or mount it, for the user of the service; a bucket has to take its credentials.`,
    )
}
