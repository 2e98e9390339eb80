/** Receives files, within limits that hold before anything of a file is read, and stores them as uploads. */
import { createHash } from 'node:crypto'
import type { FileHandle } from 'node:fs/promises'
import { statfs } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import {
  announceBlob,
  countWaitingBytes,
  type ReceivedUpload,
  storeUpload,
} from '../blobs/blob-rows.ts'
import type { BlobStore } from '../blobs/blob-store.ts'
import { imageSizeOf } from '../blobs/image-size.ts'
import { mediaTypeOf } from '../blobs/media-type.ts'
import { receiveFile, refuseLarger } from '../blobs/received-file.ts'
import type { Pool } from '../database/pool.ts'
import { type RequestContext, readPart, writePart } from '../database/request-context.ts'
import { apiError } from '../errors.ts'
import { createByteCount } from '../http/limits/byte-count.ts'

/** A file as it is sent. */
type SentFile = {
  readonly userId: number
  readonly filename: string
  readonly body: Readable
  /** As its head says; undefined if that does not say it. */
  readonly bytes: number | undefined
  /** The request that sends it. */
  readonly request: RequestContext
}

export type StoredUpload = ReceivedUpload & { readonly id: string }

export type Uploads = {
  /** Throws request.too-large, upload.too-much and request.saturated before it reads, and when it has read more than was said. */
  readonly receive: (sent: SentFile) => Promise<StoredUpload>
}

type Options = {
  readonly pool: Pool
  readonly blobs: BlobStore
  readonly maxBytes: number
  /** Of all uploads that no record uses. */
  readonly most: { readonly ofCaller: number; readonly ofAll: number }
}

export const createUploads = (options: Options): Uploads => {
  const admit = createAdmission(options)
  return {
    receive: async (sent) => {
      refuseLarger(sent.bytes ?? 0, options.maxBytes)
      const { folder, leave } = await admit(sent)
      try {
        return await receive(options, sent, folder)
      } finally {
        leave()
      }
    },
  }
}

const receive = async (
  { pool, blobs, maxBytes }: Options,
  { body, filename, userId, request }: SentFile,
  folder: string,
): Promise<StoredUpload> => {
  const hash = createHash('sha256')
  const { file, bytes } = await receiveFile(body, {
    limitBytes: maxBytes,
    folder,
    onPiece: (piece) => hash.update(piece),
  })
  try {
    const found = { sha256: hash.digest('hex'), bytes, ...(await lookAt(file, filename)) }
    await writePart(request, () => announceBlob(pool, found))
    await blobs.put(found.sha256, file)
    const id = await writePart(request, () => storeUpload(pool, userId, found))
    if (id === undefined) throw saturated('Storing the file took too long.')
    return { id, ...found }
  } finally {
    await file.close()
  }
}

const lookAt = async (file: FileHandle, filename: string) => {
  const mimetype = await mediaTypeOf(file, filename)
  const { width = null, height = null } = (await imageSizeOf(file, mimetype)) ?? {}
  return { filename, mimetype, width, height }
}

/** Stays free on the disk. */
const reservedBytes = 104_857_600

/** Files that come count with the bytes of their head, or the most that they may have, before they are read. */
const createAdmission = ({ pool, blobs, maxBytes, most }: Options) => {
  const coming = createByteCount(most)
  return async ({ userId, bytes = maxBytes, request }: SentFile) => {
    const folder = await blobs.prepare()
    const { bavail, bsize } = await statfs(folder)
    // As it is received, and as it is stored.
    if (bavail * bsize < 2 * bytes + reservedBytes) throw saturated('The disk is full.')
    const waiting = await readPart(request, () => countWaitingBytes(pool, userId))
    // At once, so that of two only one takes the last place.
    const beyond = coming.beyond(userId, bytes, waiting)
    if (beyond === 'ofCaller')
      throw apiError('upload.too-much', `Your uploads may have ${most.ofCaller} bytes.`)
    if (beyond === 'ofAll') throw saturated(`Uploads of ${most.ofAll} bytes wait.`)
    coming.add(userId, bytes)
    return { folder, leave: () => coming.add(userId, -bytes) }
  }
}

const saturated = (detail: string) =>
  apiError('request.saturated', detail, { headers: { 'Retry-After': '60' } })
