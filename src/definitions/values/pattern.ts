/**
 * Matches the pattern of a field in linear time with RE2, which has no back references, no look-around
 * and no backtracking (docs/decisions/0013-patterns-in-linear-time.md).
 */
import { RE2JS } from 're2js'
import { errorText } from '../../errors.ts'
import { NeedsBacktracking, translatePattern } from './translate-pattern.ts'

/** Maximum length of a value that is matched, in characters. */
export const maxMatchedLength = 10_000

const maxPatternLength = 1000

/** Why a pattern is not supported, or undefined. */
export const patternIssue = (pattern: string): string | undefined => {
  if (pattern.length > maxPatternLength)
    return `has ${pattern.length} characters, at most ${maxPatternLength} are allowed`
  // Compiled alone: between anchors, `a)|(b` would be valid too. Clients use JavaScript's syntax.
  if (!isRegularExpression(pattern)) return 'is not a regular expression'
  try {
    compile(pattern)
    return undefined
  } catch (error) {
    if (error instanceof NeedsBacktracking)
      return `has ${error.message}, which cannot be matched in linear time; remove it`
    const reason = errorText(error).replace('error parsing regexp: ', '')
    return `exceeds the limits of RE2, which matches it (${reason}); repeat counts are limited to 1000`
  }
}

/** Whether the whole text matches a valid pattern. */
export const matchesPattern = (pattern: string, text: string): boolean => {
  const known = compiled.get(pattern)
  const one = known ?? compile(pattern)
  if (!known) compiled.set(pattern, one)
  return one.testExact(text)
}

// Patterns come from the definitions only.
const compiled = new Map<string, RE2JS>()

const compile = (pattern: string): RE2JS =>
  RE2JS.compile(RE2JS.translateRegExp(translatePattern(pattern)))

const isRegularExpression = (pattern: string): boolean => {
  try {
    new RegExp(pattern, 'u')
    return true
  } catch {
    return false
  }
}
