/** Receives files, within limits that hold before anything of a file is read, and stores them as uploads. */
import { createHash } from 'node:crypto'
import type { FileHandle } from 'node:fs/promises'
import { statfs } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { type Origin, recordAudit } from '../audit/record-audit.ts'
import { authorOf, type Caller } from '../auth/caller.ts'
import {
  announceBlob,
  countWaitingBytes,
  type ReceivedUpload,
  storeUpload,
} from '../blobs/blob-rows.ts'
import type { BlobStore, NewBlob } from '../blobs/blob-store.ts'
import { imageSizeOf, mediaTypeOf } from '../blobs/media-type.ts'
import { type Looked, onePictureAtATime, withoutLocation } from '../blobs/picture-location.ts'
import { receiveFile, refuseLarger, writeAll } from '../blobs/received-file.ts'
import type { Pool } from '../database/pool.ts'
import { type RequestContext, readPart, writePart } from '../database/request-context.ts'
import { apiError, saturated } from '../errors.ts'
import { createByteCount } from '../http/limits/limit-memory.ts'
import { scanFile } from './scan-file.ts'

/** A file as it is sent. */
type SentFile = {
  readonly caller: Caller
  readonly origin: Origin
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
  /** The address of FILES_SCAN. */
  readonly scanner: string | undefined
  /** Whether a field takes pictures without the location where they were taken. */
  readonly stripsLocations: boolean
  /** Of all uploads that no record uses. */
  readonly most: { readonly ofCaller: number; readonly ofAll: number }
}

export const createUploads = (options: Options): Uploads => {
  const admit = createAdmission(options)
  return {
    receive: async (sent) => {
      refuseLarger(sent.bytes ?? 0, options.maxBytes)
      const leave = await admit(sent)
      try {
        return await receive(options, sent)
      } finally {
        leave()
      }
    },
  }
}

const receive = async (options: Options, sent: SentFile): Promise<StoredUpload> => {
  const { pool, blobs, maxBytes } = options
  const { body, filename, caller, request } = sent
  const hash = createHash('sha256')
  const blob = await blobs.create()
  const { file } = blob
  try {
    const onPiece = (piece: Uint8Array) => hash.update(piece)
    const bytes = await receiveFile(body, file, { limitBytes: maxBytes, onPiece })
    const looked = { sha256: hash.digest('hex'), bytes, ...(await lookAt(file, filename)) }
    await requireClean(options, sent, file, looked)
    await keep(options, request, blob, looked)
    const sha256WithoutLocation = options.stripsLocations
      ? await keepWithoutLocation(options, request, file, looked)
      : null
    const found = { ...looked, sha256WithoutLocation }
    const id = await writePart(request, () => storeUpload(pool, caller.userId, found))
    if (id === undefined) throw saturated('Storing the file took too long.', retrySeconds)
    return { id, ...found }
  } finally {
    await blob.close()
  }
}

const keep = async (
  { pool }: Options,
  request: RequestContext,
  blob: NewBlob,
  { sha256, bytes }: Pick<ReceivedUpload, 'sha256' | 'bytes'>,
): Promise<void> => {
  await writePart(request, () => announceBlob(pool, { sha256, bytes }))
  await blob.keep(sha256)
}

/** The hash of the file without its location: the same one without any, null where it cannot be removed. */
const keepWithoutLocation = (
  options: Options,
  request: RequestContext,
  file: FileHandle,
  looked: Looked,
): Promise<string | null> =>
  onePictureAtATime(async () => {
    const picture = await withoutLocation(file, looked)
    if (picture === 'none') return looked.sha256
    if (picture === 'stays') return null
    const sha256 = createHash('sha256').update(picture).digest('hex')
    const blob = await options.blobs.create()
    try {
      await writeAll(blob.file, picture, 0)
      await keep(options, request, blob, { sha256, bytes: picture.length })
    } finally {
      await blob.close()
    }
    return sha256
  })

/** Throws upload.refused and upload.not-scanned, of which the audit has an event. */
const requireClean = async (
  { pool, scanner }: Options,
  { caller, origin, request }: SentFile,
  file: FileHandle,
  { sha256, bytes }: Pick<ReceivedUpload, 'sha256' | 'bytes'>,
): Promise<void> => {
  if (scanner === undefined) return
  const result = await scanFile(scanner, file, bytes)
  if (result.kind === 'clean') return
  const { kind: reason } = result
  const finding = result.finding.replaceAll(/\p{Cc}/gu, ' ')
  const detail = { reason, finding, sha256, bytes }
  const event = { kind: 'refuseFile', by: authorOf(caller), origin, detail } as const
  await writePart(request, () => recordAudit(pool, event))
  if (reason === 'infected') throw apiError('upload.refused', `It was found: ${finding}.`)
  // What a program of the operator says is for the operator.
  throw apiError('upload.not-scanned', 'The scanner did not answer.', {
    headers: { 'Retry-After': '60' },
    cause: new Error(finding),
  })
}

/** What a file is by its content, and by its name where the content leaves that open. */
export const lookAt = async (file: FileHandle, filename: string) => {
  const mimetype = await mediaTypeOf(file, filename)
  const { width = null, height = null } = (await imageSizeOf(file, mimetype)) ?? {}
  return { filename, mimetype, width, height }
}

/** Stays free on the disk. */
const reservedBytes = 104_857_600
const retrySeconds = 60

/** Files that come count with the bytes of their head, or the most that they may have, before they are read. */
const createAdmission = ({ pool, blobs, maxBytes, most }: Options) => {
  const coming = createByteCount(most)
  return async ({ caller: { userId }, bytes = maxBytes, request }: SentFile) => {
    const { bavail, bsize } = await statfs(await blobs.prepare())
    if (bavail * bsize < bytes + reservedBytes) throw saturated('The disk is full.', retrySeconds)
    const waiting = await readPart(request, () => countWaitingBytes(pool, userId))
    // At once, so that of two only one takes the last place.
    const beyond = coming.beyond(userId, bytes, waiting)
    if (beyond === 'ofCaller')
      throw apiError('upload.too-much', `Your uploads may have ${most.ofCaller} bytes.`)
    if (beyond === 'ofAll') throw saturated(`Uploads of ${most.ofAll} bytes wait.`, retrySeconds)
    coming.add(userId, bytes)
    return () => coming.add(userId, -bytes)
  }
}
