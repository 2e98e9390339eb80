/** What a field type says of itself: one row, which every other room reads. A row takes fields of its own type. */
import type { Static, TSchema } from 'typebox'
import type { CheckResult, SqlValue } from '../values/check-value.ts'

/** How values of a type compare; decides which operators of criteria fit a field. */
export type Comparison = 'text' | 'ordered' | 'equal' | 'none'

/** How a spreadsheet shows the type: as text, or typed with the number format of that name. */
export type CellKind = 'text' | 'number' | 'boolean' | 'date' | 'timestamp'

type JsonSchema = Readonly<Record<string, unknown>>

/** The value that the text of a CSV field stands for, or why it stands for none. */
export type ReadText = { readonly value: unknown } | { readonly message: string }

/** What a type says whatever its field. */
export type TypeFacts = {
  /** The type that a bound value is cast to. */
  readonly cast: string
  readonly comparison: Comparison
  /** Whether records can be sorted by it, and indexes hold it. */
  readonly hasOrder: boolean
  /** true when a spreadsheet could run the text as a formula. */
  readonly isFreeText: boolean
  /** true where people look for a part of the value rather than for the whole. */
  readonly isSearchedByPart: boolean
  readonly cell: CellKind
  /** Text for CSV from a column expression; null stays null. */
  readonly csvText: (column: string) => string
  /** JSON text from a column expression; null stays null. */
  readonly jsonText: (column: string) => string
  /** SQL: the bytes of a value; undefined where no value is large. */
  readonly sizeSql: ((column: string) => string) | undefined
  /** The JSON value that the text of a CSV field stands for. */
  readonly fromCsv: (text: string) => ReadText
  /** A bound value as the JSON of a record shows it. */
  readonly toJson: (value: SqlValue) => unknown
}

/** What a type says of one field. */
export type FieldFacts = {
  /** The column's type in PostgreSQL, as the catalog prints it. */
  readonly sqlType: () => string
  /** Characters of a usual value as people read it: the width of a column. */
  readonly width: number
  /** Checks a JSON value and gives what is bound in SQL; a time without an offset is read in `timeZone`. */
  readonly check: (value: unknown, timeZone: string) => CheckResult
  /** Checks a value that is searched for: of the field's type, but not held to its rules. */
  readonly checkSearched: (value: unknown, timeZone: string) => CheckResult
  /** The value in an OpenAPI schema, as it is answered. */
  readonly jsonSchema: JsonSchema
  /** The same as a caller may write it, where that is another. */
  readonly writtenSchema?: JsonSchema
  /** What JSON Schema has no word for, in sentences. */
  readonly notes: readonly string[]
  /** Values to try as an example, the best first; `label` is a text that names the field. */
  readonly examples: (label: string) => readonly unknown[]
  /** The most characters of a text; undefined: no text. */
  readonly maxLength: number | undefined
  /** The most bytes that a value takes in UTF-8. */
  readonly maxBytes: number
  /** Whether records may hold a text of more UTF-16 units, also from before the field had a limit. */
  readonly mayExceed: (units: number) => boolean
  /** Whether the empty text is refused. */
  readonly refusesEmpty: boolean
  /** A rule that only `check` can tell, as in "matching the pattern a+"; undefined: none. */
  readonly formRule: string | undefined
}

export type FieldType<Field> = TypeFacts & {
  /** The shape of a field of the type in a definition. */
  readonly schema: TSchema
  // A method: TypeScript takes one for any field, and a row is only found by the type of its field.
  factsOf(field: Field): FieldFacts
}

// A short value, which is no text.
const defaultFacts = {
  hasOrder: true,
  isFreeText: false,
  isSearchedByPart: false,
  sizeSql: undefined,
  fromCsv: (text: string): ReadText => ({ value: text }),
  toJson: (value: SqlValue): unknown => value,
}
const defaultOfField = {
  notes: [],
  maxLength: undefined,
  // Numbers, dates and words of a list: none is longer by much.
  maxBytes: 100,
  mayExceed: () => false,
  refusesEmpty: false,
  formRule: undefined,
}

type With<Facts, Usual> = Omit<Facts, keyof Usual> & Partial<Facts>

/** The row of a type, with what is usual where it says nothing. */
export const fieldType = <Schema extends TSchema, Field = Static<Schema>>(
  schema: Schema,
  facts: With<TypeFacts, typeof defaultFacts>,
  factsOf: (field: Field) => With<FieldFacts, typeof defaultOfField>,
): FieldType<Field> => ({
  ...defaultFacts,
  ...facts,
  schema,
  factsOf: (field) => ({ ...defaultOfField, ...factsOf(field) }),
})

export const asText = (column: string): string => `${column}::text`
export const asJsonString = (column: string): string => `'"'||${column}||'"'`

type Range = { readonly min?: unknown; readonly max?: unknown; readonly default?: unknown }

/** Ends of the range and default of a field, as examples. */
export const ownValues = ({ min, max, default: usual }: Range): readonly unknown[] => [
  min,
  max,
  usual,
]

/** The range of a field in sentences. */
export const rangeNotes = ({ min, max }: Range): readonly string[] => [
  ...(min === undefined ? [] : [`At least ${min}.`]),
  ...(max === undefined ? [] : [`At most ${max}.`]),
]
