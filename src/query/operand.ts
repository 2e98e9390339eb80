/** Whether a value is what its operator takes: the form and the length only; its type is the planner's. */
import { kindOf } from '../definitions/check-value.ts'
import { criteriaLimits, type Operator, operators } from './criteria.ts'

/** What is wrong with the value of an operator, or undefined. */
export const operandMistake = (operator: Operator, value: unknown): string | undefined => {
  switch (operators[operator].takes) {
    case 'list':
      return Array.isArray(value) ? listMistake(value) : `must be an array, not ${kindOf(value)}`
    case 'boolean':
      return typeof value === 'boolean' ? undefined : `must be true or false, not ${kindOf(value)}`
    case 'text':
      return typeof value === 'string'
        ? searchMistake(operator, value)
        : `must be a string, not ${kindOf(value)}`
    case 'present':
      if (value === null)
        return 'must be one value, not null; ask for absent values with { "$null": true }'
      return singleMistake(value)
    case 'value':
      return singleMistake(value)
  }
}

const listMistake = (values: readonly unknown[]): string | undefined =>
  values.length > criteriaLimits.listed
    ? `has ${values.length} entries, at most ${criteriaLimits.listed} are taken`
    : values.map(lengthMistake).find((message) => message !== undefined)

const singleMistake = (value: unknown): string | undefined =>
  typeof value === 'object' && value !== null
    ? `must be one value, not ${kindOf(value)}`
    : lengthMistake(value)

const lengthMistake = (value: unknown): string | undefined =>
  typeof value === 'string' && value.length > criteriaLimits.value
    ? `has ${value.length} characters, at most ${criteriaLimits.value} are taken`
    : undefined

// PostgreSQL compares a pattern with a text in up to the product of their lengths, and cannot be
// interrupted inside one text.
const searchMistake = (operator: Operator, text: string): string | undefined => {
  if (text.length > criteriaLimits.search)
    return `has ${text.length} characters, at most ${criteriaLimits.search} are taken here`
  if (operator !== '$like' && operator !== '$ilike') return undefined
  const wildcards = text.split('%').length - 1
  if (wildcards > criteriaLimits.wildcards)
    return `has ${wildcards} signs "%", at most ${criteriaLimits.wildcards} are taken`
  return endsInEscape(text)
    ? 'must not end with a single backslash, which escapes the character after it'
    : undefined
}

const endsInEscape = (text: string): boolean => {
  let end = text.length
  while (end > 0 && text[end - 1] === '\\') end -= 1
  return (text.length - end) % 2 === 1
}
