/** The field types that hold text: string, text, email and url, an absolute URL, by default http or https. */
import { Type } from '../schemas/schema-builder.ts'
import { checkSearchedText, mustHoldText, type TextForm, textLimits } from '../values/check-text.ts'
import { exampleFromPattern } from '../values/example-from-pattern.ts'
import { matchesPattern } from '../values/pattern.ts'
import {
  checkPhone,
  checkSearchedPhone,
  examplePhone,
  longestPhone,
  partOfPhone,
} from '../values/rules/phone-numbers.ts'
import {
  asKept,
  checkEmail,
  checkString,
  checkText,
  checkUrl,
  schemesOf,
} from '../values/rules/text-rules.ts'
import { seriesExamples } from '../values/series-format.ts'
import { fieldType, ownValues } from './field-type.ts'
import { fieldOf, message, scalar, series, textDefault, writing } from './schema-parts.ts'

const maxLength = (limits: { readonly default: number; readonly max: number }) =>
  Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: limits.max,
      description: `In characters; ${limits.default} by default.`,
    }),
  )

/** Every type whose values are stored as text. */
export const keptAsText = {
  cast: 'text',
  comparison: 'text',
  comparedKind: 'text',
  isFreeText: true,
  textForm: 'prose',
  cell: 'text',
  csvText: (column: string) => column,
  jsonText: (column: string) => `to_json(${column})::text`,
} as const

/** Every type with free text. */
const freeText = {
  ...keptAsText,
  isSearchedByPart: true,
  sizeSql: (column: string) => `octet_length(${column})`,
} as const

type TextField = {
  readonly required?: boolean
  readonly default?: unknown
  readonly lowercase?: boolean
}

const lowercase = Type.Optional(
  Type.Boolean({
    description:
      'Values are kept and compared in lower case, so those that differ in nothing else are the same.',
  }),
)

/** Facts of all types of one line. */
const freeLine = { ...freeText, textForm: 'line' } as const

/** Defaults of fields of those types; a type may override them. */
const ofFreeText = (field: TextField, maxLength: number, form: TextForm) => ({
  sqlType: () => 'text',
  // A search value need not be a complete address or a short line.
  checkSearched: (value: unknown) => checkSearchedText(asKept(value, field), form),
  isLowerCase: field.lowercase === true,
  searchedPart: (part: string) => String(asKept(part, field)),
  notes: field.lowercase === true ? ['Kept in lower case.'] : [],
  maxLength,
  maxBytes: 4 * maxLength,
  mayExceed: () => true,
  refusesEmpty: mustHoldText(field),
})

export const string = fieldType(
  fieldOf('string', 'A line of text.', {
    ...writing,
    default: textDefault,
    series,
    maxLength: maxLength(textLimits.string),
    pattern: Type.Optional(
      Type.String({
        description:
          'Regular expression that the whole value matches; no look-around, no back references.',
      }),
    ),
    message: message('of a value that does not match `pattern`'),
    lowercase,
  }),
  freeLine,
  (field) => {
    const { maxLength, pattern, message, series } = field
    const rules = ofFreeText(field, maxLength ?? textLimits.string.default, 'line')
    return {
      ...rules,
      width: Math.min(maxLength ?? 30, 40),
      check: (value) => checkString(value, field, matchesPattern),
      jsonSchema: {
        type: 'string',
        ...(maxLength && { maxLength }),
        ...(pattern && { pattern: `^(?:${pattern})$` }),
      },
      notes: [
        ...rules.notes,
        ...(message === undefined ? [] : [message]),
        ...(series === undefined ? [] : ['Given by the service.']),
      ],
      examples: (label) => [
        ...(series === undefined ? [] : seriesExamples(series.format)),
        ...ownValues(field),
        ...(pattern === undefined ? [] : [exampleFromPattern(pattern)]),
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
    ...writing,
    default: Type.Optional(Type.String()),
    maxLength: maxLength(textLimits.text),
  }),
  freeText,
  (field) => {
    const { maxLength } = field
    const longest = maxLength ?? textLimits.text.default
    return {
      ...ofFreeText(field, longest, 'prose'),
      width: 50,
      check: (value) => checkText(value, field),
      jsonSchema: { type: 'string', ...(maxLength && { maxLength }) },
      examples: (label) => [field.default, label],
    }
  },
)

export const email = fieldType(
  fieldOf('email', 'An e-mail address.', {
    ...writing,
    default: textDefault,
    lowercase,
  }),
  freeLine,
  (field) => ({
    ...ofFreeText(field, textLimits.email.default, 'line'),
    width: 30,
    check: (value) => checkEmail(value, field),
    jsonSchema: { type: 'string', format: 'email', maxLength: textLimits.email.default },
    examples: () => ['anna.novak@example.com'],
    mayExceed: () => false,
    formRule: 'an e-mail address',
  }),
)

const { max } = textLimits.url

/** An absolute URL (RFC 3986), stored unchanged. */
export const url = fieldType(
  fieldOf('url', 'An absolute URL, stored unchanged.', {
    ...scalar,
    default: Type.Optional(Type.String()),
    schemes: Type.Optional(
      Type.Array(Type.String({ pattern: '^[a-z][a-z0-9+.-]*$' }), {
        minItems: 1,
        uniqueItems: true,
        description: 'Schemes that it may begin with; https and http by default.',
      }),
    ),
  }),
  // The server that it names may treat two encodings of a letter as different.
  { ...freeText, textForm: 'exact' },
  (field) => {
    const { wanted, example } = schemesOf(field)
    return {
      ...ofFreeText(field, max, 'exact'),
      width: 40,
      check: (value) => checkUrl(value, field),
      jsonSchema: { type: 'string', format: 'uri', maxLength: max },
      examples: () => [field.default, example],
      mayExceed: () => false,
      formRule: `a URL that begins with ${wanted}`,
    }
  },
)

/** The field type phone: a telephone number, kept in E.164. */
export const phone = fieldType(
  fieldOf('phone', 'A telephone number, kept in E.164.', {
    ...scalar,
    default: textDefault,
    region: Type.Optional(
      Type.String({
        pattern: '^[A-Z]{2}$',
        description:
          'Where numbers without their country are dialled (ISO 3166), such as "DE"; by default the region of the locale of the project.',
      }),
    ),
  }),
  // Records from before the field had this type may hold any text, so exports guard it as one.
  freeLine,
  (field) => ({
    sqlType: () => 'text',
    width: 18,
    check: (value) => checkPhone(value, field),
    checkSearched: (value) => checkSearchedPhone(value, field),
    searchedPart: (part, isBeginning) => partOfPhone(part, field, isBeginning),
    jsonSchema: { type: 'string', maxLength: longestPhone },
    notes: ['A telephone number, kept in E.164.'],
    examples: () => [...ownValues(field), examplePhone],
    maxLength: longestPhone,
    maxBytes: 4 * longestPhone,
    refusesEmpty: mustHoldText(field),
    formRule: 'a telephone number',
  }),
)
