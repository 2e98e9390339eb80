/** The words of a search text: parsed, with their limits. */
import { textIssue } from '../../definitions/values/check-text.ts'
import { kindOf } from '../../definitions/values/check-value.ts'
import { criteriaLimits } from '../criteria/criteria-limits.ts'

/** The words of a text, which blanks separate, or the issue of the text. */
export const wordsOf = (value: unknown): { words: string[] } | { issue: string } => {
  const { searchText, words: most, word: longest } = criteriaLimits
  if (typeof value !== 'string') return { issue: `must be a string, not ${kindOf(value)}` }
  if (value.length > searchText)
    return { issue: `has ${value.length} characters, at most ${searchText} are allowed` }
  const wrong = textIssue(value)
  if (wrong !== undefined) return { issue: wrong }
  const words = value.split(/\s+/).filter((word) => word !== '')
  if (words.length > most)
    return { issue: `has ${words.length} words, at most ${most} are allowed` }
  return words.some((word) => word.length > longest)
    ? { issue: `contains a word of more than ${longest} characters` }
    : { words }
}
