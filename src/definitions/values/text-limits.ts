/**
 * How long a value may be where its definition does not say, and the most that a definition may allow.
 * One long text costs every list, notification, e-mail and document that holds it.
 */

/** In characters; of json in bytes of its text in UTF-8. docs/definitions.md shows them. */
export const textLimits = {
  string: { usual: 255, most: 1_000_000 },
  text: { usual: 100_000, most: 1_000_000 },
  // RFC 5321, 4.5.3.1: 256 octets with the angle brackets around it.
  email: { usual: 254, most: 254 },
  // What every browser and server takes.
  url: { usual: 2_048, most: 2_048 },
  json: { usual: 100_000, most: 4_000_000 },
} as const

/** What is wrong with the length of a text, counted as PostgreSQL counts: a character of any plane is one. */
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
