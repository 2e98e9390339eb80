/** Schema parts shared by several field types. */
import type { TSchema } from 'typebox'
import { maxFormulaLength } from '../calculations/parse-formula.ts'
import { closed, Type } from '../schemas/schema-builder.ts'

/** A snake_case name that fits into PostgreSQL's identifiers. */
export const key = (description: string) =>
  Type.String({ pattern: '^[a-z][a-z0-9_]*$', maxLength: 63, description })

/** The message to people when a rule of the definition does not hold. */
export const message = (when: string) =>
  Type.Optional(
    Type.String({ minLength: 1, maxLength: 500, description: `What people are told ${when}.` }),
  )

/** One earlier key, or several with the latest first. */
export const was = (description: string) =>
  Type.Optional(
    Type.Union([Type.String(), Type.Array(Type.String(), { minItems: 1 })], { description }),
  )

const described = {
  key: key('snake_case name of the field, at most 63 bytes; its column in PostgreSQL.'),
  name: Type.Optional(Type.String({ minLength: 1, description: 'Display label.' })),
  description: Type.Optional(Type.String({ description: 'What the field holds.' })),
}

/** For every field with a column. */
export const valued = {
  was: was('Earlier key of this field, or several; its column is renamed and keeps its values.'),
  required: Type.Optional(Type.Boolean({ description: 'Must be given and not null.' })),
}

/** For links, which stay when a record is anonymised. */
export const linked = {
  ...valued,
  unique: Type.Optional(Type.Boolean({ description: 'No two records share a value.' })),
  indexed: Type.Optional(Type.Boolean({ description: 'Add an index on this field.' })),
}

/** For every field whose values may be about a person. */
export const personal = Type.Optional(
  Type.Boolean({
    description: 'Its values are about a person: they go when a record is anonymised.',
  }),
)

/** For every field with comparable values. */
export const scalar = { ...linked, personal }

/** Whether values are unique: `ignoreCase` takes those that differ in nothing but their case for the same. */
export const uniqueTexts = Type.Optional(
  Type.Union([Type.Boolean(), Type.Literal('ignoreCase')], {
    description: 'No two records share a value; "ignoreCase": whatever its case.',
  }),
)

/** For every field with text whose case may not matter. */
export const writing = { ...scalar, unique: uniqueTexts }

const rollupOf = (description: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength: 200, description }))

const rollup = Type.Optional(
  Type.Object(
    {
      sum: rollupOf('The sum of a field, such as "lines.amount"; 0 without records.'),
      count: rollupOf('The number of records, such as "lines".'),
      min: rollupOf('The smallest or earliest value of a field, such as "receipts.received_on".'),
      max: rollupOf('The largest or latest value of a field.'),
      where: Type.Optional(
        Type.Object(
          {},
          {
            description:
              'Criteria that a record must match to count; they name its own fields alone, and no times that move.',
          },
        ),
      ),
    },
    {
      ...closed,
      oneOf: ['sum', 'count', 'min', 'max'].map((name) => ({ required: [name] })),
      description: 'The field is calculated from the records of a one-to-many field.',
    },
  ),
)

/** For fields that the service may calculate from the records of a one-to-many field. */
export const rolledUp = { rollup }

/** For fields that the service may calculate, also from other fields of the record. */
export const calculated = {
  formula: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: maxFormulaLength,
      description:
        'The field is calculated from others of the record, such as "quantity * unit_price".',
    }),
  ),
  rollup,
}

/** For whole numbers that people do not read as an amount, such as years. */
export const grouping = Type.Optional(
  Type.Boolean({
    description: 'Whether marks divide its thousands where people read it; true by default.',
  }),
)

/** What a number counts: the same for all records, or a text that each record leads to. */
export const unit = Type.Optional(
  Type.Union(
    [
      Type.String({ minLength: 1, maxLength: 20, description: 'Such as "EUR" or "kg".' }),
      Type.Object(
        {
          field: Type.String({
            minLength: 1,
            description: 'A string or an enum, or a path to one, such as "currency.code".',
          }),
        },
        closed,
      ),
    ],
    {
      description: 'The unit or the currency of the number; it is shown, and nothing is converted.',
    },
  ),
)

/** The definition of a field of one type. */
export const fieldOf = <const T extends string, P extends Record<string, TSchema>>(
  type: T,
  description: string,
  properties: P,
) => Type.Object({ ...described, type: Type.Literal(type, { description }), ...properties }, closed)

const moved = (description: string) => Type.Optional(Type.Unknown({ description }))

/** The default of a date or a timestamp: itself, or a time that moves; the check of values says what is wrong with it. */
export const temporalDefault = Type.Optional(
  Type.Union([
    Type.String(),
    Type.Object({
      $today: moved('Days after today, such as 14; before it if negative.'),
      $now: moved('How long after now, such as "2 hours"; 0: now.'),
      $startOf: moved('The first day of the present week, month, quarter or year.'),
      $offset: moved('Of `$startOf`: how many periods after the present one.'),
    }),
  ]),
)

/** A range with ends written as text. */
export const textRange = {
  min: Type.Optional(Type.String({ description: 'Earliest value allowed.' })),
  max: Type.Optional(Type.String({ description: 'Latest value allowed.' })),
}

/** A default that a new record takes from its caller. */
export const callerDefault = Type.Object(
  {
    $caller: Type.String({
      minLength: 1,
      description: 'A field or a link of the user who creates the record, or "id" for the user.',
    }),
  },
  closed,
)

/** The default of a text: itself, or what the caller has. */
export const textDefault = Type.Optional(Type.Union([Type.String(), callerDefault]))

/** For texts that the service gives, one after the other. */
export const series = Type.Optional(
  Type.Object(
    {
      format: Type.String({
        minLength: 1,
        maxLength: 200,
        description:
          'Such as "RO-{branch.code}-{YYYY}-{00000}": {YYYY}, {YY}, {MM}, {DD}, {Q}, a required link with a unique field of its record, and zeros for the number.',
      }),
      on: Type.Optional(
        Type.Union(
          [
            Type.Literal('create'),
            Type.Object(
              { action: key('The key of the action of the workflow that gives the number.') },
              closed,
            ),
          ],
          { description: 'When a record gets its number; "create" by default.' },
        ),
      ),
      gapFree: Type.Optional(
        Type.Boolean({
          description:
            'Whether no number is left out, so that writers of one counter wait for each other; true by default.',
        }),
      ),
      start: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: 1_000_000_000_000,
          description: 'The first number of each counter; 1 by default.',
        }),
      ),
    },
    { ...closed, description: 'The service gives its values: numbers that follow one another.' },
  ),
)
