/** The shape of `imports` of an entity: how files of another system are read (docs/import.md). */
import { closed, Type } from './schema-builder.ts'

export const importModes = ['insert', 'update', 'insertOrUpdate'] as const
export type ImportMode = (typeof importModes)[number]

/** An empty cell leaves the field as it is (a new record has its default), empties it, or gives it its default. */
export const emptyCellRules = ['keep', 'clear', 'default'] as const
export type EmptyCells = (typeof emptyCellRules)[number]

const column = Type.Object(
  {
    field: Type.String({
      minLength: 1,
      description: 'A field, or a path such as "supplier.code".',
    }),
    decimal: Type.Optional(Type.Enum(['.', ','], { description: 'What stands before decimals.' })),
    dates: Type.Optional(
      Type.Enum(['YMD', 'DMY', 'MDY'], { description: 'The order of the parts of a day.' }),
    ),
    values: Type.Optional(
      Type.Record(Type.String(), Type.String(), {
        description: 'The value by what the file has for it.',
      }),
    ),
  },
  closed,
)

export const importDefinition = Type.Object(
  {
    key: Type.String({ pattern: '^[a-z][a-z0-9_]*$', maxLength: 63 }),
    name: Type.Optional(Type.String({ minLength: 1, description: 'What people call it.' })),
    mode: Type.Optional(Type.Enum(importModes, { description: 'By default "insert".' })),
    match: Type.Optional(
      Type.Array(Type.String(), {
        minItems: 1,
        description:
          'Fields that together are unique, for "update" also "id": by them records are found.',
      }),
    ),
    emptyCells: Type.Optional(Type.Enum(emptyCellRules, { description: 'By default "keep".' })),
    columns: Type.Record(Type.String(), Type.Union([Type.String(), Type.Null(), column]), {
      description: 'By head, the field of a column of the file; null: it is left out.',
    }),
  },
  closed,
)
