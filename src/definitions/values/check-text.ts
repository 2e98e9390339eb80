/** Checks texts: forbidden characters, length, and the rules of the field. */
import { type CheckResult, kindOf, malformed, refused } from './check-value.ts'
import { lengthIssue } from './text-limits.ts'

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

type TextField = { readonly required?: boolean; readonly default?: string }

/** Whether the empty text is rejected: for a required field, unless it is the default. */
export const mustHoldText = ({ required, default: fallback }: TextField): boolean =>
  required === true && fallback !== ''

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
