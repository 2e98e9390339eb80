/** Parts of an answer (RFC 9110, 14): one range of bytes; several are answered with the whole. */
import type { ByteRange } from '../blobs/blob-store.ts'

/** Reads `Range` for so many bytes; undefined: the whole, which a range that is none and several ranges mean too. */
export const readRange = (
  header: string | undefined,
  bytes: number,
): ByteRange | 'unsatisfiable' | undefined => {
  const [, from = '', to = ''] = /^bytes=\s*(\d*)-(\d*)\s*$/i.exec(header ?? '') ?? []
  if (from === '' && to === '') return undefined
  // Numbers with more digits are as good as the largest, and never exact.
  const [start, end] = [Number(from), Number(to)]
  if (from === '')
    return end === 0 || bytes === 0
      ? 'unsatisfiable'
      : { first: Math.max(0, bytes - end), last: bytes - 1 }
  if (to !== '' && end < start) return undefined
  if (start >= bytes) return 'unsatisfiable'
  return { first: start, last: to === '' ? bytes - 1 : Math.min(end, bytes - 1) }
}

/** Whether `If-Range` lets a part be answered: it names this version, or nothing. A date is of another version. */
export const mayBePart = (ifRange: string | undefined, etag: string): boolean =>
  ifRange === undefined || ifRange.trim() === etag
