/** Checks lines and texts by the rules of their fields: length, pattern, e-mail addresses and URLs. */
import { lowerCase } from '../../../lower-case.ts'
import { checkExactLine, checkLine, checkProse, textLimits } from '../check-text.ts'
import { type CheckResult, refused } from '../check-value.ts'

type TextRules = {
  readonly required?: boolean
  readonly default?: unknown
  readonly maxLength?: number
  readonly lowercase?: boolean
}

/** A given value as the field keeps it, before its other rules are asked. */
export const asKept = (
  value: unknown,
  { lowercase = false }: Pick<TextRules, 'lowercase'>,
): unknown => (lowercase && typeof value === 'string' ? lowerCase(value) : value)

type LineRules = TextRules & { readonly pattern?: string; readonly message?: string }

type Longest = { readonly type: string; readonly maxLength?: number }

/** How many characters a value of a field may have; undefined: it is not a text. */
export const longestOf = ({ type, maxLength }: Longest): number | undefined => {
  if (!Object.hasOwn(textLimits, type) || type === 'json') return undefined
  return maxLength ?? textLimits[type as 'string'].default
}

/** Whether the whole text matches a pattern. */
export type Matches = (pattern: string, text: string) => boolean

/** Checks a line; `matches` decides about its pattern. */
export const checkString = (value: unknown, field: LineRules, matches: Matches): CheckResult => {
  const { maxLength = textLimits.string.default, pattern, message } = field
  const result = checkLine(asKept(value, field), field, maxLength)
  if ('rule' in result || pattern === undefined) return result
  return matches(pattern, String(result.value))
    ? result
    : refused(message ?? `must match the pattern ${pattern}`)
}

export const checkText = (value: unknown, field: TextRules): CheckResult =>
  checkProse(value, field, field.maxLength ?? textLimits.text.default)

export const checkEmail = (value: unknown, field: TextRules): CheckResult => {
  const result = checkLine(asKept(value, field), field, textLimits.email.default)
  if ('rule' in result) return result
  // RFC 5321 4.5.3.1: at most 64 characters before the @.
  return /^[^\s@<>"(),:;]{1,64}@[^\s@<>"(),:;]+$/u.test(String(result.value))
    ? result
    : refused('must be an e-mail address, such as anna@example.com')
}

type UrlRules = TextRules & { readonly schemes?: readonly string[] }

// Schemes that a browser would run, or read from its own machine, are not allowed.
const webSchemes = ['https', 'http']

const joined = new Intl.ListFormat('en', { type: 'disjunction' })

/** What URLs of a field begin with, as a list in words, and one of them. */
export const schemesOf = ({ schemes = webSchemes }: Pick<UrlRules, 'schemes'>) => {
  const [first = 'https'] = schemes
  return {
    wanted: joined.format(schemes.map((scheme) => `${scheme}:`)),
    example: webSchemes.includes(first) ? `${first}://www.example.com/page` : `${first}:example`,
  }
}

export const checkUrl = (value: unknown, field: UrlRules): CheckResult => {
  const checked = checkExactLine(value, field, textLimits.url.max)
  if ('rule' in checked || isUrl(String(checked.value), field.schemes ?? webSchemes)) return checked
  const { wanted, example } = schemesOf(field)
  return refused(`must be an absolute URL that begins with ${wanted}, such as ${example}`)
}

// The WHATWG parser corrects URLs; one that it would change is rejected.
const isUrl = (text: string, schemes: readonly string[]): boolean => {
  const scheme = /^([A-Za-z][A-Za-z0-9+.-]*):/.exec(text)?.[1]?.toLowerCase()
  if (scheme === undefined || !schemes.includes(scheme)) return false
  if (/[\s\\<>"^`{|}]/.test(text) || !URL.canParse(text)) return false
  return !webSchemes.includes(scheme) || /^[A-Za-z]+:\/\/[^/?#]/.test(text)
}
