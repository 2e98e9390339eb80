/** A text of a query that the database takes: of a maximum length, and without what it cannot store. */
import { textIssue } from '../../definitions/values/check-text.ts'
import type { Parameter } from './parameters.ts'

export const limitedText = (
  description: string,
  maxLength: number,
): Parameter<string, undefined> => ({
  description,
  schema: { type: 'string', maxLength },
  absent: undefined,
  read: (given) => {
    const issue =
      given.length > maxLength
        ? `must have at most ${maxLength} characters, not ${given.length}`
        : textIssue(given)
    return issue === undefined ? given : { issue }
  },
})
