/**
 * Positions in the write-ahead log of PostgreSQL: a replica that has replayed a position has every change that
 * was committed before it (docs/decisions/0077-reads-carry-a-position.md).
 */

/** The number of bytes from the beginning of the log. */
export type Position = bigint

/** No replica reaches it: what requires it is read from the primary. */
export const primaryOnly: Position = 0xffff_ffff_ffff_ffffn

/** Reads a position as PostgreSQL prints it, such as `16/B374D848`; undefined for any other text. */
export const parsePosition = (text: string): Position | undefined => {
  const [, high, low] = /^([0-9A-Fa-f]{1,8})\/([0-9A-Fa-f]{1,8})$/.exec(text) ?? []
  return high === undefined ? undefined : (BigInt(`0x${high}`) << 32n) | BigInt(`0x${low}`)
}

/** Prints a position as PostgreSQL does. */
export const printPosition = (position: Position): string => {
  const hex = (part: bigint) => part.toString(16).toUpperCase()
  return `${hex(position >> 32n)}/${hex(position & 0xffff_ffffn)}`
}

/** The later one of two positions. */
export const laterOf = (one: Position, other: Position): Position => (one > other ? one : other)

/** Reads a position that PostgreSQL has printed. */
export const givenPosition = (text: string): Position => {
  const position = parsePosition(text)
  if (position === undefined) throw new Error(`PostgreSQL gave no position: ${text}`)
  return position
}
