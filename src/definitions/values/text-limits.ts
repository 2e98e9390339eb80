/**
 * Default and maximum lengths of values. A long text makes every list, notification, e-mail and document
 * with it expensive.
 */

/** In characters; of json in bytes of its text in UTF-8. docs/definitions.md shows them. */
export const textLimits = {
  string: { default: 255, max: 1_000_000 },
  text: { default: 100_000, max: 1_000_000 },
  // RFC 5321, 4.5.3.1: 256 octets with the angle brackets around it.
  email: { default: 254, max: 254 },
  // What every browser and server takes.
  url: { default: 2_048, max: 2_048 },
  json: { default: 100_000, max: 4_000_000 },
} as const

/** The issue of a text's length, counted like PostgreSQL: a character of any plane counts as one. */
export const lengthIssue = (text: string, maxLength: number): string | undefined => {
  if (text.length <= maxLength) return undefined
  const length = countCharacters(text)
  return length > maxLength
    ? `has ${length} characters, at most ${maxLength} are allowed`
    : undefined
}

const countCharacters = (text: string): number => {
  let count = text.length
  for (let index = 1; index < text.length; index++)
    if (isLowSurrogate(text.charCodeAt(index)) && isHighSurrogate(text.charCodeAt(index - 1)))
      count -= 1
  return count
}
const isHighSurrogate = (unit: number) => unit >= 0xd800 && unit <= 0xdbff
const isLowSurrogate = (unit: number) => unit >= 0xdc00 && unit <= 0xdfff
