/** Patterns of LIKE for a text as it is written. */

const literal = (text: string): string => text.replace(/[\\%_]/g, '\\$&')

/** Matches texts that contain it. */
export const anywhere = (text: string): string => `%${literal(text)}%`

/** Matches texts that begin with it. */
export const atBeginning = (text: string): string => `${literal(text)}%`
