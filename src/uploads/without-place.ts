/** Removes from a picture that was received where it was taken. */
import { createHash } from 'node:crypto'
import type { FileHandle } from 'node:fs/promises'
import type { ReceivedUpload } from '../blobs/blob-rows.ts'
import { locationOf, removeLocation, UnreadablePicture } from '../blobs/picture-location.ts'
import { writeAll } from '../blobs/received-file.ts'
import { createLimit } from '../limit.ts'

// A picture is in memory for this, one at a time.
const maxBytes = 67_108_864
const limit = createLimit(1)

/** The hash of the file without the place, which it then has no more: the same one without any, null where it cannot be removed. */
export const withoutPlace = async (
  file: FileHandle,
  { sha256, bytes, mimetype }: Pick<ReceivedUpload, 'sha256' | 'bytes' | 'mimetype'>,
): Promise<string | null> => {
  const location = locationOf(mimetype)
  if (location === 'none') return sha256
  if (location === 'stays' || bytes > maxBytes) return null
  return limit(async () => {
    const picture = await readAll(file, bytes)
    try {
      if (!removeLocation(picture)) return sha256
    } catch (error) {
      if (error instanceof UnreadablePicture) return null
      throw error
    }
    await writeAll(file, picture, 0)
    return createHash('sha256').update(picture).digest('hex')
  })
}

const readAll = async (file: FileHandle, bytes: number): Promise<Buffer> => {
  const picture = Buffer.alloc(bytes)
  for (let at = 0; at < bytes; ) {
    const { bytesRead } = await file.read(picture, at, bytes - at, at)
    if (bytesRead === 0) throw new Error('The file that was received ends too early.')
    at += bytesRead
  }
  return picture
}
