/** A file that is sent: it is kept on the disk, in a folder of its own, because a workbook is not read from its beginning. */
import { randomUUID } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { apiError, validationError } from '../errors.ts'

/** The path of the file; throws request.too-large, and request.invalid of an empty one. */
export const receiveFile = async (body: Readable, limitBytes: number): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'docket-import-'))
  const path = join(folder, randomUUID())
  try {
    const file = createWriteStream(path, { mode: 0o600 })
    await pipeline(body, limited(limitBytes), file)
    if (file.bytesWritten === 0)
      throw validationError('request.invalid', [{ path: '', message: 'must be a file' }])
    return path
  } catch (error) {
    await rm(folder, { recursive: true, force: true })
    throw error
  }
}

const limited = (most: number): Transform => {
  let bytes = 0
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length
      if (bytes <= most) done(null, chunk)
      else done(apiError('request.too-large', `The file has more than ${most} bytes.`))
    },
  })
}
