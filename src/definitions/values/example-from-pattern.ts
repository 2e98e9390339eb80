/** Makes a text that matches a regular expression: the example of a field with a pattern. */
import { matchesPattern } from './pattern.ts'

type Cursor = { readonly pattern: string; at: number }

// The alphabet of examples; a class of a pattern yields those that it contains.
const alphabet = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz1234567890-_ .,/+@#:%&']

/** Undefined when the pattern is not supported here (look-around, back references). */
export const exampleFromPattern = (pattern: string): string | undefined => {
  try {
    const text = readAlternatives({ pattern, at: 0 })
    return matchesPattern(pattern, text) ? text : undefined
  } catch {
    return undefined
  }
}

/** The first of `a|b|c`; skips the others. */
const readAlternatives = (cursor: Cursor): string => {
  const first = readSequence(cursor)
  while (peek(cursor) === '|') {
    cursor.at += 1
    readSequence(cursor)
  }
  return first
}

const readSequence = (cursor: Cursor): string => {
  let text = ''
  while (cursor.at < cursor.pattern.length && peek(cursor) !== '|' && peek(cursor) !== ')') {
    const atom = readAtom(cursor)
    const count = readCount(cursor)
    for (let index = 0; index < count; index++) text += atom(index)
  }
  return text
}

/** Makes the text of each repetition separately, so that `[0-9]{3}` becomes 123, not 111. */
type Atom = (repetition: number) => string

const readAtom = (cursor: Cursor): Atom => {
  const character = next(cursor)
  switch (character) {
    case '^':
    case '$':
      return () => ''
    case '.':
      return fromClass('.')
    case '(':
      return readGroup(cursor)
    case '[':
      return fromClass(`[${readUntil(cursor, ']')}]`)
    case '\\':
      return readEscape(cursor)
    default:
      return () => character
  }
}

const readGroup = (cursor: Cursor): Atom => {
  if (peek(cursor) === '?') {
    const opening = /^\?(:|<[a-zA-Z]\w*>)/.exec(cursor.pattern.slice(cursor.at))?.[0]
    if (opening === undefined) throw new SyntaxError('Look-around is not supported.')
    cursor.at += opening.length
  }
  const text = readAlternatives(cursor)
  cursor.at += 1
  return () => text
}

const readEscape = (cursor: Cursor): Atom => {
  const letter = next(cursor)
  if (letter === 'p' || letter === 'P') return fromClass(`\\${letter}${readUntil(cursor, '}')}}`)
  return /[a-zA-Z0-9]/.test(letter) ? fromClass(`\\${letter}`) : () => letter
}

const fromClass = (source: string): Atom => {
  const one = new RegExp(`^${source}$`, 'u')
  const characters = alphabet.filter((character) => one.test(character))
  if (characters.length === 0)
    throw new SyntaxError('The class contains no character of the alphabet.')
  return (repetition) => characters[repetition % characters.length] ?? ''
}

/** How often the previous atom is repeated: the minimum of the quantifier, `+` once. */
const readCount = (cursor: Cursor): number => {
  const quantifier = /^([*+?]|\{(\d+)(,\d*)?\})\??/.exec(cursor.pattern.slice(cursor.at))
  if (!quantifier) return 1
  cursor.at += quantifier[0].length
  if (quantifier[2] !== undefined) return Number(quantifier[2])
  return quantifier[1] === '+' ? 1 : 0
}

const readUntil = (cursor: Cursor, end: string): string => {
  const begin = cursor.at
  while (peek(cursor) !== end) {
    if (cursor.at >= cursor.pattern.length) throw new SyntaxError('The pattern is incomplete.')
    cursor.at += peek(cursor) === '\\' ? 2 : 1
  }
  cursor.at += 1
  return cursor.pattern.slice(begin, cursor.at - 1)
}

const peek = ({ pattern, at }: Cursor): string => pattern[at] ?? ''
const next = (cursor: Cursor): string => {
  const character = peek(cursor)
  cursor.at += 1
  return character
}
