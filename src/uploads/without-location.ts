/** A picture that was received, without where it was taken. */
import type { FileHandle } from 'node:fs/promises'
import type { ReceivedUpload } from '../blobs/blob-rows.ts'
import { locationOf, removeLocation, UnreadablePicture } from '../blobs/picture-location.ts'
import { createLimit } from '../limit.ts'

const maxBytes = 67_108_864

/** A picture is in memory while its location is removed. */
export const onePictureAtATime = createLimit(1)

export type Looked = Pick<ReceivedUpload, 'sha256' | 'bytes' | 'mimetype'>

/** A picture without its location; `none` if it has none, `stays` if it may have one that cannot be removed. */
export const withoutLocation = async (
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
