/** The field types that hold text: string, text and email. */

import { Type } from '../schemas/schema-builder.ts'
import { checkLine, checkProse, mustHoldText } from '../values/check-text.ts'
import { refused } from '../values/check-value.ts'
import { matchingText } from '../values/matching-text.ts'
import { matchesPattern } from '../values/pattern.ts'
import { textLimits } from '../values/text-limits.ts'
import { fieldType } from './field-type.ts'
import { fieldOf, scalar } from './schema-parts.ts'

const maxLength = ({ usual, most }: { readonly usual: number; readonly most: number }) =>
  Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: most,
      description: `In characters; ${usual} where it is not said.`,
    }),
  )

/** Every type whose values are kept as text. */
export const keptAsText = {
  cast: 'text',
  comparison: 'text',
  isFreeText: true,
  cell: 'text',
  csvText: (column: string) => column,
  jsonText: (column: string) => `to_json(${column})::text`,
} as const

/** Every type whose texts people write as they like. */
export const freeText = {
  ...keptAsText,
  isSearchedByPart: true,
  sizeSql: (column: string) => `octet_length(${column})`,
} as const

type TextField = { readonly required?: boolean; readonly default?: string }

/** What is the same for the fields of those types; a type may say otherwise. */
export const ofFreeText = (field: TextField, maxLength: number) => ({
  sqlType: () => 'text',
  // What is searched for need not be a whole address or a short line.
  checkSearched: (value: unknown) => checkProse(value, {}, textLimits.text.most),
  maxLength,
  maxBytes: 4 * maxLength,
  mayExceed: () => true,
  refusesEmpty: mustHoldText(field),
})

/** A line of text. */
export const string = fieldType(
  fieldOf('string', 'A line of text.', {
    ...scalar,
    default: Type.Optional(Type.String()),
    maxLength: maxLength(textLimits.string),
    pattern: Type.Optional(
      Type.String({
        description:
          'Regular expression that the whole value matches; no look-around, no back references.',
      }),
    ),
  }),
  freeText,
  (field) => {
    const { maxLength, pattern } = field
    const longest = maxLength ?? textLimits.string.usual
    return {
      ...ofFreeText(field, longest),
      width: Math.min(maxLength ?? 30, 40),
      check: (value) => {
        const verdict = checkLine(value, field, longest)
        if ('rule' in verdict || pattern === undefined) return verdict
        return matchesPattern(pattern, String(verdict.value))
          ? verdict
          : refused(`must match the pattern ${pattern}`)
      },
      jsonSchema: {
        type: 'string',
        ...(maxLength && { maxLength }),
        ...(pattern && { pattern: `^(?:${pattern})$` }),
      },
      examples: (label) => [
        field.default,
        ...(pattern === undefined ? [] : [matchingText(pattern)]),
        [...label].slice(0, maxLength).join(''),
      ],
      mayExceed: (units) => maxLength === undefined || 2 * maxLength > units,
      formRule: pattern === undefined ? undefined : `matching the pattern ${pattern}`,
    }
  },
)

/** Text of several lines. */
export const text = fieldType(
  fieldOf('text', 'Text of several lines.', {
    ...scalar,
    default: Type.Optional(Type.String()),
    maxLength: maxLength(textLimits.text),
  }),
  freeText,
  (field) => {
    const { maxLength } = field
    const longest = maxLength ?? textLimits.text.usual
    return {
      ...ofFreeText(field, longest),
      width: 50,
      check: (value) => checkProse(value, field, longest),
      jsonSchema: { type: 'string', ...(maxLength && { maxLength }) },
      examples: (label) => [field.default, label],
    }
  },
)

/** An e-mail address. */
export const email = fieldType(
  fieldOf('email', 'An e-mail address.', { ...scalar, default: Type.Optional(Type.String()) }),
  freeText,
  (field) => ({
    ...ofFreeText(field, textLimits.email.usual),
    width: 30,
    check: (value) => {
      const verdict = checkLine(value, field, textLimits.email.usual)
      if ('rule' in verdict) return verdict
      // RFC 5321 4.5.3.1: 64 before the @. Whether it exists only a mail can tell.
      return /^[^\s@<>"(),:;]{1,64}@[^\s@<>"(),:;]+$/u.test(String(verdict.value))
        ? verdict
        : refused('must be an e-mail address, such as anna@example.com')
    },
    jsonSchema: { type: 'string', format: 'email', maxLength: textLimits.email.usual },
    examples: () => ['anna.novak@example.com'],
    mayExceed: () => false,
    formRule: 'an e-mail address',
  }),
)
