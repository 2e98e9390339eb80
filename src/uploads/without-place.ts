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

type Looked = Pick<ReceivedUpload, 'sha256' | 'bytes' | 'mimetype'>

/** The hash of the file without the place, which it then has no more: the same one without any, null where it cannot be removed. */
export const withoutPlace = (file: FileHandle, looked: Looked): Promise<string | null> =>
  limit(async () => {
    const picture = await placelessOf(file, looked)
    if (picture === 'none') return looked.sha256
    if (picture === 'stays') return null
    await writeAll(file, picture, 0)
    return createHash('sha256').update(picture).digest('hex')
  })

/** A picture without its place; `none` if it has none, `stays` if it may have one that cannot be removed. */
export const placelessOf = async (
  file: FileHandle,
  { bytes, mimetype }: Omit<Looked, 'sha256'>,
): Promise<Buffer | 'none' | 'stays'> => {
  const location = locationOf(mimetype)
  if (location !== 'removed') return location
  if (bytes > maxBytes) return 'stays'
  const picture = await readAll(file, bytes)
  try {
    return removeLocation(picture) ? picture : 'none'
  } catch (error) {
    if (error instanceof UnreadablePicture) return 'stays'
    throw error
  }
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
