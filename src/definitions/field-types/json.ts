/** The field type json: any JSON value. */
import { errorText } from '../../errors.ts'
import { Type } from '../schemas/schema-builder.ts'
import { textIssue, textLimits } from '../values/check-text.ts'
import { type CheckResult, malformed, refused } from '../values/check-value.ts'
import { asText, fieldType, type ReadText } from './field-type.ts'
import { fieldOf, personal, valued } from './schema-parts.ts'

const deepest = 64

const checkJson = (value: unknown, maxBytes: number): CheckResult => {
  const wrong = jsonIssue(value)
  if (wrong !== undefined) return malformed(wrong)
  const text = JSON.stringify(value)
  const bytes = Buffer.byteLength(text)
  return bytes > maxBytes
    ? refused(`takes ${bytes} bytes as compact JSON, at most ${maxBytes} are allowed`)
    : { value: text }
}

/** Why a JSON value cannot be stored, or undefined. */
export const jsonIssue = (value: unknown, depth = 0): string | undefined => {
  if (depth > deepest) return `is nested deeper than ${deepest} levels`
  if (typeof value === 'string') return textIssue(value)
  if (typeof value !== 'object' || value === null) return undefined
  for (const [key, inner] of Object.entries(value)) {
    const wrong = textIssue(key) ?? jsonIssue(inner, depth + 1)
    if (wrong !== undefined) return wrong
  }
  return undefined
}

const readJson = (text: string): ReadText => {
  try {
    return { value: JSON.parse(text) }
  } catch (error) {
    return { message: `must be JSON: ${errorText(error)}` }
  }
}

const { default: defaultBytes, max } = textLimits.json

export const json = fieldType(
  fieldOf('json', 'Any JSON value.', {
    ...valued,
    personal,
    default: Type.Optional(Type.Unknown()),
    indexed: Type.Optional(Type.Boolean({ description: 'Add an index for `$contains`.' })),
    maxBytes: Type.Optional(
      Type.Integer({
        minimum: 2,
        maximum: max,
        description: `Bytes of the value as compact JSON in UTF-8; ${defaultBytes} by default.`,
      }),
    ),
  }),
  {
    cast: 'json',
    comparison: 'json',
    isStructured: true,
    hasOrder: false,
    indexKind: 'containment',
    cell: 'json',
    csvText: asText,
    jsonText: asText,
    sizeSql: (column) => `octet_length(${column}::text)`,
    fromCsv: readJson,
    toJson: (value) => JSON.parse(String(value)),
  },
  (field) => {
    const { maxBytes = defaultBytes } = field
    return {
      // json, not jsonb: the text stays as the service wrote it, compact and with its keys in their order.
      sqlType: () => 'json',
      width: 40,
      check: (value) => checkJson(value, maxBytes),
      checkSearched: (value) => checkJson(value, defaultBytes),
      jsonSchema: {},
      notes: [`At most ${maxBytes} bytes as compact JSON.`],
      examples: () => [field.default, { any: ['JSON', 'value'] }],
      maxBytes,
      mayExceed: () => true,
    }
  },
)
