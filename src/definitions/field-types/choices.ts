/** The field types whose values are chosen from a list: boolean and enum. */
import type { Static } from 'typebox'
import { didYouMean } from '../../did-you-mean.ts'
import { Type } from '../schemas/schema-builder.ts'
import { wordLike } from '../values/check-text.ts'
import { type CheckResult, kindOf, malformed, refused } from '../values/check-value.ts'
import { asText, fieldType, type ReadText } from './field-type.ts'
import { fieldOf, scalar, was } from './schema-parts.ts'
import { keptAsText } from './texts.ts'

const checkBoolean = (value: unknown): CheckResult =>
  typeof value === 'boolean' ? { value } : malformed(`must be true or false, not ${kindOf(value)}`)

const readBoolean = (text: string): ReadText => {
  // Spreadsheets write TRUE and FALSE.
  const word = text.toLowerCase()
  return word === 'true' || word === 'false'
    ? { value: word === 'true' }
    : { message: `must be true or false, not ${JSON.stringify(text.slice(0, 40))}` }
}

export const boolean = fieldType(
  fieldOf('boolean', 'true or false.', { ...scalar, default: Type.Optional(Type.Boolean()) }),
  {
    cast: 'boolean',
    comparison: 'equal',
    cell: 'boolean',
    csvText: asText,
    jsonText: asText,
    fromCsv: readBoolean,
  },
  (field) => ({
    sqlType: () => 'boolean',
    width: 8,
    check: checkBoolean,
    checkSearched: checkBoolean,
    jsonSchema: { type: 'boolean' },
    examples: () => [field.default, true],
  }),
)

/** An enum word with its name and earlier spellings. */
export const enumWordSchema = Type.Object(
  {
    value: Type.String({ minLength: 1, description: 'The word, as it is stored.' }),
    name: Type.Optional(
      Type.String({ minLength: 1, maxLength: 100, description: 'What people call it.' }),
    ),
    was: was('Earlier word, or several; records with it get the new word.'),
  },
  { additionalProperties: false },
)

const enumSchema = fieldOf('enum', 'One of a list of words.', {
  ...scalar,
  default: Type.Optional(Type.String()),
  values: Type.Array(Type.Union([Type.String({ minLength: 1 }), enumWordSchema]), {
    minItems: 1,
    uniqueItems: true,
    description: 'The words allowed.',
  }),
})

/** A parsed enum: its words, their names and their earlier words. */
type EnumField = Omit<Static<typeof enumSchema>, 'values'> & {
  values: string[]
  /** What people call a word, by word; those without a name are left out. */
  valueNames?: Readonly<Record<string, string>>
  /** Earlier words by current word. */
  earlierValues?: Readonly<Record<string, readonly string[]>>
}

const checkEnum = (value: unknown, values: readonly string[]): CheckResult => {
  if (typeof value !== 'string') return malformed(`must be a string, not ${kindOf(value)}`)
  const word = wordLike(value, values)
  if (word !== undefined) return { value: word }
  return refused(
    `must be one of ${values.map((word) => `"${word}"`).join(', ')}${didYouMean(value, values)}`,
  )
}

export const enumeration = fieldType(enumSchema, keptAsText, (field: EnumField) => {
  const { values } = field
  const check = (value: unknown) => checkEnum(value, values)
  return {
    sqlType: () => 'text',
    choices: values,
    width: Math.max(...values.map((value) => value.length)),
    check,
    checkSearched: check,
    jsonSchema: { type: 'string', enum: values },
    examples: () => [field.default, ...values],
  }
})
