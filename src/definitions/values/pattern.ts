/**
 * The pattern of a field, matched in time that grows with the value only: RE2 knows no back references
 * and no look-around, so it never goes back. docs/decisions/0013 tells why.
 */
import { RE2JS } from 're2js'
import { errorText } from '../../errors.ts'
import { GoesBack, translatePattern } from './translate-pattern.ts'

/** The longest value that a pattern is matched with, in characters. */
export const maxMatchedLength = 10_000

const maxPatternLength = 1000

/** What makes a pattern unfit, or undefined. */
export const patternIssue = (pattern: string): string | undefined => {
  if (pattern.length > maxPatternLength)
    return `has ${pattern.length} characters, at most ${maxPatternLength} are allowed`
  // By itself: between anchors, `a)|(b` would be one too. Clients read it by the rules of JavaScript.
  if (!isRegularExpression(pattern)) return 'is not a regular expression'
  try {
    compile(pattern)
    return undefined
  } catch (error) {
    if (error instanceof GoesBack)
      return `has ${error.message}, and cannot be matched in linear time with it; leave it out`
    const reason = errorText(error).replace('error parsing regexp: ', '')
    return `is more than RE2 takes, which matches it (${reason}); counts go up to 1000`
  }
}

/** Whether the whole text matches a pattern without errors. */
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
