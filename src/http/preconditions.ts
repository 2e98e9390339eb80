/** Conditional requests by entity tags (RFC 9110, 13.1). */
import { faultOfMistakes } from '../errors.ts'

/** Reads `If-Match`; without the header every version matches. */
export const readIfMatch = (header: string | undefined): ((version: number) => boolean) => {
  if (header === undefined || header.trim() === '*') return () => true
  const tags = header.split(',').map((tag) => tag.trim())
  if (tags.some((tag) => !/^(W\/)?"[^"]*"$/.test(tag)))
    throw faultOfMistakes('request.invalid', [
      { path: 'If-Match', message: 'must be * or entity tags in quotes, such as "3"' },
    ])
  // A weak tag never matches where a change hangs on it.
  return (version) => tags.includes(`"${version}"`)
}

/** Whether `If-None-Match` says that the caller has this entity tag already. */
export const hasAlready = (header: string | undefined, etag: string): boolean => {
  const tags = header?.split(',').map((tag) => tag.trim().replace(/^W\//, '')) ?? []
  return tags.includes('*') || tags.includes(etag)
}
