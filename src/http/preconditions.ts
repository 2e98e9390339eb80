/** Conditional requests by entity tags, and requests for a part of a file (RFC 9110, 13.1 and 14). */
import type { ByteRange } from '../blobs/blob-store.ts'

/** The versions that a write accepts; any if the caller named none. */
export type Precondition = 'any' | readonly number[]

/** Whether a record's version is one that the caller has read. */
export const holds = (precondition: Precondition, version: number): boolean =>
  precondition === 'any' || precondition.includes(version)

/** Reads `If-Match`. */
export const readIfMatch = (header: string): Precondition | { readonly issue: string } => {
  if (header.trim() === '*') return 'any'
  const tags = header.split(',').map((tag) => tag.trim())
  if (tags.some((tag) => !/^(W\/)?"[^"]*"$/.test(tag)))
    return { issue: 'must be * or entity tags in quotes, such as "3"' }
  // A weak tag never matches for a change. Every tag of ours begins with a version; how the record was seen
  // does not count for a change.
  return tags.flatMap((tag) => {
    const [, version] = /^"([1-9]\d{0,8})(?:\.[\w-]{1,40})?"$/.exec(tag) ?? []
    return version === undefined ? [] : [Number(version)]
  })
}

/** Whether `If-None-Match` contains this entity tag. */
export const hasAlready = (header: string | undefined, etag: string): boolean => {
  const tags = header?.split(',').map((tag) => tag.trim().replace(/^W\//, '')) ?? []
  return tags.includes('*') || tags.includes(etag)
}

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
