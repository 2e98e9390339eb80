/** Conditional requests by entity tags (RFC 9110, 13.1). */

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
