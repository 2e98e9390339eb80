/** The shape of a field, one schema per type: its TypeScript type, its check and its part of `schema/entity.json`. */
import type { Static, TSchema } from 'typebox'
import { Type } from './schema-builder.ts'
import { textLimits } from './text-limits.ts'

const closed = { additionalProperties: false } as const

/** A snake_case name that fits PostgreSQL's identifiers. */
export const key = (description: string) =>
  Type.String({ pattern: '^[a-z][a-z0-9_]*$', maxLength: 63, description })

/** What somebody was called before: one earlier key, or several with the latest first. */
export const was = (description: string) =>
  Type.Optional(
    Type.Union([Type.String(), Type.Array(Type.String(), { minItems: 1 })], { description }),
  )

const described = {
  key: key('snake_case name of the field, at most 63 bytes; its column in PostgreSQL.'),
  name: Type.Optional(Type.String({ minLength: 1, description: 'Label for people.' })),
  description: Type.Optional(Type.String({ description: 'What the field holds.' })),
}
const valued = {
  was: was('Earlier key of this field, or several; its column is renamed and keeps its values.'),
  required: Type.Optional(Type.Boolean({ description: 'Must be given and not null.' })),
}
const scalar = {
  ...valued,
  unique: Type.Optional(Type.Boolean({ description: 'No two records share a value.' })),
  indexed: Type.Optional(Type.Boolean({ description: 'Add an index on this field.' })),
}

const fieldOf = <const T extends string, P extends Record<string, TSchema>>(
  type: T,
  description: string,
  properties: P,
) => Type.Object({ ...described, type: Type.Literal(type, { description }), ...properties }, closed)

const maxLength = ({ usual, most }: { readonly usual: number; readonly most: number }) =>
  Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: most,
      description: `In characters; ${usual} where it is not said.`,
    }),
  )
const decimalText = (description: string) =>
  Type.String({ pattern: '^-?[0-9]+(\\.[0-9]+)?$', description })
const integerRange = {
  min: Type.Optional(Type.Integer({ description: 'Smallest value allowed.' })),
  max: Type.Optional(Type.Integer({ description: 'Largest value allowed.' })),
}
const textRange = {
  min: Type.Optional(Type.String({ description: 'Earliest value allowed.' })),
  max: Type.Optional(Type.String({ description: 'Latest value allowed.' })),
}

/** A word of an enum that was spelled otherwise before. */
export const enumWordSchema = Type.Object(
  {
    value: Type.String({ minLength: 1, description: 'The word.' }),
    was: was('Earlier word for the same, or several; records that hold it get the new one.'),
  },
  closed,
)

/** One schema per field type; a field is checked against the one its `type` names. */
export const fieldSchemas = {
  string: fieldOf('string', 'A line of text.', {
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
  text: fieldOf('text', 'Text of several lines.', {
    ...scalar,
    default: Type.Optional(Type.String()),
    maxLength: maxLength(textLimits.text),
  }),
  email: fieldOf('email', 'An e-mail address.', {
    ...scalar,
    default: Type.Optional(Type.String()),
  }),
  integer: fieldOf('integer', 'A whole number of 32 bits.', {
    ...scalar,
    default: Type.Optional(Type.Integer()),
    ...integerRange,
  }),
  bigint: fieldOf('bigint', 'A whole number of 64 bits.', {
    ...scalar,
    default: Type.Optional(Type.Union([Type.Integer(), Type.String({ pattern: '^-?[0-9]+$' })])),
    min: Type.Optional(Type.Union([Type.Integer(), Type.String({ pattern: '^-?[0-9]+$' })])),
    max: Type.Optional(Type.Union([Type.Integer(), Type.String({ pattern: '^-?[0-9]+$' })])),
  }),
  decimal: fieldOf('decimal', 'An exact decimal number; travels as a string.', {
    ...scalar,
    default: Type.Optional(decimalText('A decimal number as a string.')),
    precision: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 1000, description: 'Digits in all.' }),
    ),
    scale: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 1000, description: 'Digits after the point.' }),
    ),
    min: Type.Optional(decimalText('Smallest value allowed.')),
    max: Type.Optional(decimalText('Largest value allowed.')),
  }),
  boolean: fieldOf('boolean', 'true or false.', {
    ...scalar,
    default: Type.Optional(Type.Boolean()),
  }),
  date: fieldOf('date', 'A calendar day, YYYY-MM-DD.', {
    ...scalar,
    default: Type.Optional(Type.String()),
    ...textRange,
  }),
  timestamp: fieldOf('timestamp', 'A moment, kept with its zone, to the millisecond.', {
    ...scalar,
    default: Type.Optional(Type.String()),
    ...textRange,
  }),
  enum: fieldOf('enum', 'One of a list of words.', {
    ...scalar,
    default: Type.Optional(Type.String()),
    values: Type.Array(Type.Union([Type.String({ minLength: 1 }), enumWordSchema]), {
      minItems: 1,
      uniqueItems: true,
      description: 'The words allowed.',
    }),
  }),
  json: fieldOf('json', 'Any JSON value.', {
    ...valued,
    default: Type.Optional(Type.Unknown()),
    maxBytes: Type.Optional(
      Type.Integer({
        minimum: 2,
        maximum: textLimits.json.most,
        description: `Bytes of the value as compact JSON in UTF-8; ${textLimits.json.usual} where it is not said.`,
      }),
    ),
  }),
  manyToOne: fieldOf('manyToOne', 'A link to one record of another entity.', {
    ...scalar,
    entity: key('The entity that it links to.'),
  }),
  oneToMany: fieldOf('oneToMany', 'The records of another entity that link here; no column.', {
    entity: key('The entity whose records link here.'),
    mappedBy: key('The manyToOne field of that entity.'),
  }),
} as const

export type FieldTypeName = keyof typeof fieldSchemas
type Written = { [T in FieldTypeName]: Static<(typeof fieldSchemas)[T]> }
/** An enum once it is read: its words alone, and what each was before. */
type Read = Omit<Written, 'enum'> & {
  enum: Omit<Written['enum'], 'values'> & {
    values: string[]
    /** Earlier words by the word that took their place. */
    earlierValues?: Readonly<Record<string, readonly string[]>>
  }
}
export type FieldDefinition = Read[FieldTypeName]
/** The definition of a field of one type. */
export type FieldOf<T extends FieldTypeName> = Extract<FieldDefinition, { type: T }>
