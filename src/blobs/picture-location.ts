/**
 * Removes from a picture that was received where it was taken: what EXIF has of the location, in JPEG, PNG and WebP, and the same in
 * XMP. The bytes are overwritten at their places, so that no length and no offset changes, and nothing is encoded again.
 */
import type { FileHandle } from 'node:fs/promises'
import { crc32 } from 'node:zlib'
import { createLimit } from '../limit.ts'
import type { ReceivedUpload } from './blob-rows.ts'

const cleanable = ['image/jpeg', 'image/png', 'image/webp']
const lacksLocation = /^(?!image\/|video\/)|^image\/gif$/

/** Whether a location is removed from files of this kind, whether they have none, or whether it cannot be removed. */
export const locationOf = (mimetype: string): 'removed' | 'none' | 'stays' => {
  if (cleanable.includes(mimetype)) return 'removed'
  return lacksLocation.test(mimetype) ? 'none' : 'stays'
}

/** A picture whose parts are not as they have to be: what it has of a location may be left. */
export class UnreadablePicture extends Error {
  override name = 'UnreadablePicture'
}

/** Overwrites the location; whether there was any. Throws an UnreadablePicture, after which the bytes are of no use. */
export const removeLocation = (picture: Buffer): boolean => {
  try {
    return isPng(picture) ? removeFromPng(picture) : removeFromParts(picture)
  } catch (error) {
    if (error instanceof RangeError) throw new UnreadablePicture('It ends within a part.')
    throw error
  }
}

const pngHead = Buffer.from('89504e470d0a1a0a', 'hex')
const isPng = (picture: Buffer): boolean => picture.subarray(0, 8).equals(pngHead)

/** Each chunk of a PNG has a sum of its bytes. */
const removeFromPng = (picture: Buffer): boolean => {
  let hasChanged = false
  for (let at = 8; at + 12 <= picture.length; ) {
    const end = at + 8 + picture.readUInt32BE(at)
    const kind = picture.toString('latin1', at + 4, at + 8)
    const chunk = picture.subarray(at + 8, end)
    if ((kind === 'eXIf' && removeFromExif(chunk)) || (kind === 'iTXt' && removeFromXmp(chunk))) {
      hasChanged = true
      picture.writeUInt32BE(crc32(picture.subarray(at + 4, end)), end)
    }
    at = end + 4
  }
  return hasChanged
}

const exifHead = Buffer.from('Exif\0\0', 'latin1')
const webpExif = Buffer.from('EXIF', 'latin1')
// A picture and its previews have one each.
const mostParts = 100

/** Other kinds have EXIF behind a head that stands nowhere else, also in the previews that follow the picture. */
const removeFromParts = (picture: Buffer): boolean => {
  let hasChanged = removeFromExif(picture)
  let parts = 0
  for (const head of [exifHead, webpExif]) {
    // The size of a chunk of WebP is between its name and its content.
    const rest = head.length + (head === webpExif ? 4 : 0)
    for (let at = picture.indexOf(head); at >= 0; at = picture.indexOf(head, at + 1)) {
      const exif = picture.subarray(at + rest)
      if (!isExif(exif)) continue
      if (++parts > mostParts) throw new UnreadablePicture('It has too many parts.')
      hasChanged = removeFromExif(exif) || hasChanged
    }
  }
  return removeFromXmp(picture) || hasChanged
}

const bigHead = Buffer.from('MM\0*', 'latin1')
const littleHead = Buffer.from('II*\0', 'latin1')

const isExif = (exif: Buffer): boolean => {
  const head = exif.subarray(0, 4)
  return head.equals(bigHead) || head.equals(littleHead)
}

const locationTag = 0x8825
const cameraTag = 0x8769
const entryBytes = 12
const mostLists = 20
const mostEntries = 1000
// Of a value of a place: a comment has some hundred.
const mostValueBytes = 65_536
/** Bytes of the types of values, by their number. */
const typeBytes: readonly number[] = [0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4]

/** EXIF is a TIFF: lists of entries, which name their values and further lists by offsets. */
const removeFromExif = (exif: Buffer): boolean => {
  if (!isExif(exif)) return false
  const isLittle = exif[0] === littleHead[0]
  const read16 = (at: number) => (isLittle ? exif.readUInt16LE(at) : exif.readUInt16BE(at))
  const read32 = (at: number) => (isLittle ? exif.readUInt32LE(at) : exif.readUInt32BE(at))
  const countAt = (list: number) => {
    const count = read16(list)
    if (count > mostEntries) throw new UnreadablePicture('It has too many entries.')
    return count
  }
  const entriesOf = (list: number) =>
    Array.from({ length: countAt(list) }, (_, index) => list + 2 + index * entryBytes)

  const blankList = (list: number) => {
    const entries = entriesOf(list)
    for (const at of entries) {
      const bytes = (typeBytes[read16(at + 2)] ?? 0) * read32(at + 4)
      if (bytes > mostValueBytes) throw new UnreadablePicture('It has too large a value.')
      const value = read32(at + 8)
      if (bytes > 4) exif.fill(0, value, value + bytes)
    }
    exif.fill(0, list, list + 2 + entries.length * entryBytes)
  }

  /** The entries behind it, and where the next list is, move up. */
  const removeEntry = (list: number, at: number) => {
    const count = read16(list)
    const end = list + 2 + count * entryBytes + 4
    exif.copyWithin(at, at + entryBytes, end)
    exif.fill(0, end - entryBytes, end)
    if (isLittle) exif.writeUInt16LE(count - 1, list)
    else exif.writeUInt16BE(count - 1, list)
  }

  let hasChanged = false
  const lists = [read32(4)]
  const seen = new Set<number>()
  for (const list of lists) {
    if (list === 0 || seen.has(list)) continue
    seen.add(list)
    if (seen.size > mostLists) throw new UnreadablePicture('It has too many lists.')
    for (const at of entriesOf(list).toReversed()) {
      const tag = read16(at)
      if (tag === cameraTag) lists.push(read32(at + 8))
      if (tag !== locationTag) continue
      blankList(read32(at + 8))
      removeEntry(list, at)
      hasChanged = true
    }
    lists.push(read32(list + 2 + read16(list) * entryBytes))
  }
  return hasChanged
}

const xmpStart = '<x:xmpmeta'
const xmpEnd = '</x:xmpmeta>'
const mostXmpBytes = 4_194_304

/** As attributes and as elements: `exif:GPSLatitude="45,48.5N"`. Blanks take their place. */
const locations =
  /(?<![\w-])[\w-]{1,40}:GPS\w{0,40}\s{0,9}=\s{0,9}(?:"[^"]{0,500}"|'[^']{0,500}')|<([\w-]{1,40}:GPS\w{0,40})(?:\s[^<>]{0,500})?>[^<]{0,500}<\/\1\s{0,9}>/g

const removeFromXmp = (picture: Buffer): boolean => {
  let hasChanged = false
  for (let at = picture.indexOf(xmpStart); at >= 0; at = picture.indexOf(xmpStart, at + 1)) {
    const end = picture.indexOf(xmpEnd, at)
    if (end < 0) return hasChanged
    if (end - at > mostXmpBytes) throw new UnreadablePicture('It has too long a text.')
    const text = picture.toString('latin1', at, end)
    const blank = text.replaceAll(locations, (found) => ' '.repeat(found.length))
    if (blank !== text) {
      hasChanged = true
      picture.write(blank, at, 'latin1')
    }
    at = end
  }
  return hasChanged
}

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
