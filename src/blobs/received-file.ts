/** A file that is sent: it is kept on the disk, because a workbook is not read from its beginning, and bytes are stored by their hash. */
import { randomUUID } from 'node:crypto'
import { type FileHandle, open, unlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Readable, Writable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { apiError, emptyFile } from '../errors.ts'
import { createLimit } from '../limit.ts'
import { giveWay } from '../waiting-requests.ts'

type Options = {
  readonly limitBytes: number
  /** Gets each piece while it is in memory. */
  readonly onPiece?: (piece: Uint8Array) => void
}

/** An open file without a name in the folder for temporary files: nothing is left of it when the process ends, however it ends. */
export const createUnnamed = async (): Promise<FileHandle> => {
  const path = join(tmpdir(), `docket-${randomUUID()}`)
  const file = await open(path, 'wx+', 0o600)
  await unlink(path)
  return file
}

/** The file as it was sent, without a name. */
export const receiveUnnamed = async (body: Readable, options: Options): Promise<FileHandle> => {
  const file = await createUnnamed()
  try {
    await receiveFile(body, file, options)
    return file
  } catch (error) {
    await file.close()
    throw error
  }
}

/** Writes what is sent into the file; returns how many bytes. Throws request.too-large, and request.invalid of an empty one. */
export const receiveFile = async (
  body: Readable,
  file: FileHandle,
  options: Options,
): Promise<number> => {
  const bytes = await keep(body, file, options)
  if (bytes === 0) throw emptyFile()
  return bytes
}

const tooLarge = (limitBytes: number) =>
  apiError('request.too-large', `The file has more than ${limitBytes} bytes.`)

/** Throws request.too-large for a body of more bytes, by its head or when they have come. */
export const refuseLarger = (bytes: number, limitBytes: number): void => {
  if (bytes > limitBytes) throw tooLarge(limitBytes)
}

/** A connection gives some kilobytes at once: so many bytes are written together, and so many wait meanwhile. */
const writtenBytes = 262_144

// A file that waits for the others reads nothing meanwhile, so that requests are answered between their pieces.
const oneAtATime = createLimit(1)

const keep = async (
  body: Readable,
  file: FileHandle,
  { limitBytes, onPiece }: Options,
): Promise<number> => {
  let pieces: Buffer<ArrayBuffer>[] = []
  let [bytes, written] = [0, 0]
  const write = async (): Promise<void> => {
    await giveWay()
    const writing = writeEach(file, pieces, written)
    // Meanwhile another thread writes them.
    for (const piece of pieces) onPiece?.(piece)
    await writing
    written = bytes
    for (const piece of pieces) free(piece)
    pieces = []
  }
  const sink = new Writable({
    highWaterMark: writtenBytes,
    write: (piece: Buffer<ArrayBuffer>, _encoding, done) => {
      pieces.push(piece)
      bytes += piece.length
      const isEnough = bytes - written >= writtenBytes
      if (bytes > limitBytes) done(tooLarge(limitBytes))
      else if (isEnough) oneAtATime(write).then(() => done(), done)
      else done()
    },
    final: (done) => void write().then(() => done(), done),
  })
  // Not as a pipeline, which would destroy the body with an error: its connection still has the answer.
  body.pipe(sink)
  await Promise.all([finished(body), finished(sink)])
  return bytes
}

const writeEach = async (
  file: FileHandle,
  pieces: readonly Uint8Array[],
  at: number,
): Promise<void> => {
  const { bytesWritten } = await file.writev(pieces, at)
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0)
  // Of a full disk, the next one has the error.
  if (bytesWritten < length)
    await writeAll(file, Buffer.concat(pieces).subarray(bytesWritten), at + bytesWritten)
}

/** Writes all bytes of a piece, from a place of the file on. */
export const writeAll = async (file: FileHandle, piece: Uint8Array, at: number): Promise<void> => {
  for (let written = 0; written < piece.length; )
    written += (await file.write(piece, written, piece.length - written, at + written)).bytesWritten
}

/** Memory that is collected only later grows with the file: the server reads each piece into memory of its own. */
const free = ({ buffer, length }: Buffer<ArrayBuffer>): void => {
  if (buffer.byteLength === length) buffer.transfer(0)
}
