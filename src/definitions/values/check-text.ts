/** Checks texts: what no text may hold, how long it may be, and what its field asks of it. */
import { type CheckResult, kindOf, malformed, refused } from './check-value.ts'
import { lengthIssue } from './text-limits.ts'

// Tab, line feed and carriage return are text; every other control character (Unicode class Cc) is
// refused, for no spreadsheet, terminal or XML file shows it, and PostgreSQL keeps no NUL.
const isControl = (code: number) =>
  (code < 32 && code !== 9 && code !== 10 && code !== 13) || (code >= 127 && code < 160)

/** What makes a string unfit for keeping, or undefined. */
export const textIssue = (text: string): string | undefined => {
  if (!text.isWellFormed()) return 'holds half of a surrogate pair, which is no character'
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (isControl(code))
      return `holds the control character ${code === 0 ? 'NUL' : nameOf(code)} at position ${index}`
    // Two code points that are no characters and that no XML file, so no spreadsheet, may hold.
    if (code >= 0xfffe) return `holds ${nameOf(code)} at position ${index}`
  }
  return undefined
}

/**
 * What makes a string unfit for a name or a line, or undefined: beside the above, characters that turn
 * the direction of what follows (Unicode, Bidi_Control), for they show one name as another. Prose in
 * languages that are written from right to left may need them.
 */
export const lineIssue = (text: string): string | undefined => {
  const position = text.search(/[\u202A-\u202E\u2066-\u2069]/)
  return position === -1
    ? textIssue(text)
    : `holds ${nameOf(text.charCodeAt(position))}, which turns the direction of the text, at position ${position}`
}

const nameOf = (code: number): string => `U+${code.toString(16).toUpperCase().padStart(4, '0')}`

type TextField = { readonly required?: boolean; readonly default?: string }

/** Whether the empty text is refused: it is no value for a required field, unless its default is just that. */
export const mustHoldText = ({ required, default: usual }: TextField): boolean =>
  required === true && usual !== ''

const checkText =
  (issue: (text: string) => string | undefined) =>
  (value: unknown, field: TextField, maxLength: number): CheckResult => {
    if (typeof value !== 'string') return malformed(`must be a string, not ${kindOf(value)}`)
    const tooLong = lengthIssue(value, maxLength)
    if (tooLong !== undefined) return refused(tooLong)
    const wrong = issue(value)
    if (wrong !== undefined) return malformed(wrong)
    if (value === '' && mustHoldText(field)) return refused('is required and must not be empty')
    return { value }
  }

/** Checks text of several lines. */
export const checkProse = checkText(textIssue)
/** Checks a name or a line. */
export const checkLine = checkText(lineIssue)
