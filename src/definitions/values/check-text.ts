/**
 * Checks texts: forbidden characters, length, and the rules of the field; and gives them the form in which they are
 * kept. A long text makes every list, notification, e-mail and document with it expensive, so every type has a
 * maximum.
 */
import { type CheckResult, kindOf, malformed, refused } from './check-value.ts'

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
const lengthIssue = (text: string, maxLength: number): string | undefined => {
  if (text.length <= maxLength) return undefined
  const length = countCharacters(text)
  return length > maxLength
    ? `has ${length} characters, at most ${maxLength} are allowed`
    : undefined
}

/** The issue of a text that an index does not hold. */
export const tooLongForIndex = (bytes: number, allowed: number): string =>
  `is indexed and has ${bytes} bytes, at most ${allowed} are allowed`

const countCharacters = (text: string): number => {
  let count = text.length
  for (let index = 1; index < text.length; index++)
    if (isLowSurrogate(text.charCodeAt(index)) && isHighSurrogate(text.charCodeAt(index - 1)))
      count -= 1
  return count
}
const isHighSurrogate = (unit: number) => unit >= 0xd800 && unit <= 0xdbff
const isLowSurrogate = (unit: number) => unit >= 0xdc00 && unit <= 0xdfff

// Tab, line feed and carriage return are allowed; every other control character (Unicode class Cc) is
// rejected: no spreadsheet, terminal or XML file shows it, and PostgreSQL cannot store NUL.
const isControl = (code: number) =>
  (code < 32 && code !== 9 && code !== 10 && code !== 13) || (code >= 127 && code < 160)

/** Why a string cannot be stored, or undefined. */
export const textIssue = (text: string): string | undefined => {
  if (!text.isWellFormed()) return 'contains half of a surrogate pair, which is not a character'
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (isControl(code))
      return `contains the control character ${code === 0 ? 'NUL' : nameOf(code)} at position ${index}`
    // Two code points that are not characters, and are forbidden in XML and so in spreadsheets.
    if (code >= 0xfffe) return `holds ${nameOf(code)} at position ${index}`
  }
  return undefined
}

/**
 * Why a string cannot be a name or a line, or undefined: also rejects characters that change the text
 * direction (Unicode, Bidi_Control), because they can disguise a name. Prose in right-to-left languages
 * may need them.
 */
export const lineIssue = (text: string): string | undefined => {
  const position = text.search(/[\u202A-\u202E\u2066-\u2069]/)
  return position === -1
    ? textIssue(text)
    : `holds ${nameOf(text.charCodeAt(position))}, which changes the text direction, at position ${position}`
}

const nameOf = (code: number): string => `U+${code.toString(16).toUpperCase().padStart(4, '0')}`

/**
 * How a type keeps its texts, so that those that look the same are the same to PostgreSQL: `prose` with composed characters
 * (Unicode, NFC), a `line` also without blanks at its ends, `exact` unchanged.
 */
export type TextForm = 'line' | 'prose' | 'exact'

// All characters before the first mark are composed, as most texts are.
const mayHoldMarks = (text: string): boolean => /[\u0300-\uFFFF]/.test(text)
const composed = (text: string): string => (mayHoldMarks(text) ? text.normalize('NFC') : text)

const inForm: Readonly<Record<TextForm, (text: string) => string>> = {
  line: (text) => composed(text).trim(),
  prose: composed,
  exact: (text) => text,
}

// Composing takes the square of the marks on one letter. No language has so many (Unicode, Stream-Safe Text Format).
const manyMarks = /(?:^|\P{M})\p{M}{31}/u

const marksIssue = (text: string): string | undefined => {
  const position = mayHoldMarks(text) ? text.search(manyMarks) : -1
  return position === -1
    ? undefined
    : `has more than 30 marks on the letter at position ${position}`
}

type TextField = { readonly required?: boolean; readonly default?: unknown }

/** Whether the empty text is rejected: for a required field, unless it is the default. */
export const mustHoldText = ({ required, default: fallback }: TextField): boolean =>
  required === true && fallback !== ''

const checkText =
  (issue: (text: string) => string | undefined, form: TextForm) =>
  (given: unknown, field: TextField, maxLength: number): CheckResult => {
    if (typeof given !== 'string') return malformed(`must be a string, not ${kindOf(given)}`)
    const wrong = issue(given) ?? marksIssue(given)
    if (wrong !== undefined) return malformed(wrong)
    const value = inForm[form](given)
    const tooLong = lengthIssue(value, maxLength)
    if (tooLong !== undefined) return refused(tooLong)
    if (value === '' && mustHoldText(field)) return refused('is required and must not be empty')
    return { value }
  }

export const checkProse = checkText(textIssue, 'prose')
/** Checks a name or a line. */
export const checkLine = checkText(lineIssue, 'line')
/** Checks a line that is kept as it was given. */
export const checkExactLine = checkText(lineIssue, 'exact')

const searched = {
  line: checkText(textIssue, 'line'),
  prose: checkProse,
  exact: checkText(textIssue, 'exact'),
}

/** Checks a text that is compared with values of this form; it need not be a complete value. */
export const checkSearchedText = (value: unknown, form: TextForm): CheckResult =>
  searched[form](value, {}, textLimits.text.max)

const longestWord = 1_000

/** The word that looks like the text: both as they would be kept in a line. */
export const wordLike = (text: string, words: readonly string[]): string | undefined => {
  if (words.includes(text) || text.length > longestWord) return words.find((word) => word === text)
  const line = inForm.line(text)
  return words.find((word) => inForm.line(word) === line)
}
