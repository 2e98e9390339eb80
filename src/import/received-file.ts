/** A file that is sent: it is kept on the disk, because a workbook is not read from its beginning. */
import { randomUUID } from 'node:crypto'
import { type FileHandle, open, unlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { apiError, validationError } from '../errors.ts'

/**
 * The file, which is open and has no name, so that nothing is left of it when the process ends, however it ends; throws
 * request.too-large, and request.invalid of an empty one.
 */
export const receiveFile = async (body: Readable, limitBytes: number): Promise<FileHandle> => {
  const path = join(tmpdir(), `docket-import-${randomUUID()}`)
  const file = await open(path, 'wx+', 0o600)
  try {
    await unlink(path)
    if ((await keep(body, file, limitBytes)) === 0)
      throw validationError('request.invalid', [{ path: '', message: 'must be a file' }])
    return file
  } catch (error) {
    await file.close()
    throw error
  }
}

/** Throws request.too-large for a body of more bytes, by its head or when they have come. */
export const refuseLarger = (bytes: number, limitBytes: number): void => {
  if (bytes > limitBytes)
    throw apiError('request.too-large', `The file has more than ${limitBytes} bytes.`)
}

const keep = async (body: Readable, file: FileHandle, limitBytes: number): Promise<number> => {
  let bytes = 0
  // It is not destroyed by an error: its connection still has the answer.
  const chunks: AsyncIterable<Buffer<ArrayBuffer>> = body.iterator({ destroyOnReturn: false })
  for await (const chunk of chunks) {
    const end = bytes + chunk.length
    refuseLarger(end, limitBytes)
    while (bytes < end) {
      const rest = chunk.subarray(chunk.length - (end - bytes))
      bytes += (await file.write(rest, 0, rest.length, bytes)).bytesWritten
    }
    free(chunk)
  }
  return bytes
}

/** Memory that is collected only later grows with the file: the server reads each piece into memory of its own. */
const free = ({ buffer, length }: Buffer<ArrayBuffer>): void => {
  if (buffer.byteLength === length) buffer.transfer(0)
}
