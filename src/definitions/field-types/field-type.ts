/**
 * The interface of a field type: one row, which all other folders use. A row handles fields of its own
 * type.
 */
import type { Static, TSchema } from 'typebox'
import type { TextForm } from '../values/check-text.ts'
import type { CheckResult, SqlValue } from '../values/check-value.ts'

/** How values of a type compare; decides which operators of criteria fit a field. */
export type Comparison = 'text' | 'ordered' | 'equal' | 'json' | 'none'

/** What the values of two fields have in common that can be compared with each other. */
export type ComparedKind = 'number' | 'text' | 'date' | 'timestamp'

/**
 * What an index holds: each value once, each once whatever the case of its texts, each once also if its record is removed
 * (series), values in their order, or what values contain.
 */
export type IndexKind = 'unique' | 'caseless' | 'series' | 'order' | 'containment'

/** What a value is in a file whose columns have types, such as a workbook. */
export type CellKind =
  | 'text'
  | 'json'
  | 'boolean'
  | 'integer'
  | 'bigint'
  | 'decimal'
  | 'date'
  | 'timestamp'

/** The digits of a decimal number: in all, and after the point. */
export type Digits = {
  readonly precision?: number | undefined
  readonly scale?: number | undefined
}

type JsonSchema = Readonly<Record<string, unknown>>

/** The parsed value of a CSV field, or an issue. */
export type ReadText = { readonly value: unknown } | { readonly message: string }

export type TypeFacts = {
  /** The type to cast bound values to. */
  readonly cast: string
  readonly comparison: Comparison
  /** Fields of the same kind are compared with each other; undefined: with values alone. */
  readonly comparedKind: ComparedKind | undefined
  /** The index of a field that is `indexed`. */
  readonly indexKind: IndexKind
  /** Whether records can be sorted by it, and indexes of several fields hold it. */
  readonly hasOrder: boolean
  /** true when a spreadsheet could evaluate the text as a formula. */
  readonly isFreeText: boolean
  /** How its texts are kept, and what they are compared with. */
  readonly textForm: TextForm
  /** true when a value has parts of its own, which no definition names: paths may lead into it. */
  readonly isStructured: boolean
  /** true when users search for a part of the value. */
  readonly isSearchedByPart: boolean
  readonly cell: CellKind
  /** SQL: text for CSV from a column expression; null stays null. */
  readonly csvText: (column: string) => string
  /** SQL: JSON text from a column expression; null stays null. */
  readonly jsonText: (column: string) => string
  /** SQL: the size of a value in bytes; undefined when no value is large. */
  readonly sizeSql: ((column: string) => string) | undefined
  /** Parses the text of a CSV field to a JSON value. */
  readonly fromCsv: (text: string) => ReadText
  /** A bound value as in the JSON of a record. */
  readonly toJson: (value: SqlValue) => unknown
}

export type FieldFacts = {
  /** The column's type in PostgreSQL, as the catalog prints it. */
  readonly sqlType: () => string
  /** The words that it may have, in the order in which they compare; undefined: values compare as in PostgreSQL. */
  readonly choices: readonly string[] | undefined
  /** Characters of a typical value: the width of a column. */
  readonly width: number
  /** The digits that the field sets for its numbers. */
  readonly digits: Digits
  /** Checks a JSON value and returns the value to bind in SQL; times without an offset are in `timeZone`. */
  readonly check: (value: unknown, timeZone: string) => CheckResult
  /** Checks a search value: its type, but not the rules of the field. */
  readonly checkSearched: (value: unknown, timeZone: string) => CheckResult
  /** A searched part of a text in the form in which values are kept; `isBeginning`: values begin with it. */
  readonly searchedPart: (part: string, isBeginning: boolean) => string
  /** OpenAPI schema of the value in answers. */
  readonly jsonSchema: JsonSchema
  /** OpenAPI schema of the value in bodies, if different. */
  readonly writtenSchema?: JsonSchema
  /** Rules that JSON Schema cannot express, as sentences. */
  readonly notes: readonly string[]
  /** Candidates for an example, best first; `label` is a text that names the field. */
  readonly examples: (label: string) => readonly unknown[]
  /** An example as answers show it, if different. */
  readonly answeredExample?: unknown
  /** Maximum characters of a text; undefined: not a text. */
  readonly maxLength: number | undefined
  /** Maximum size of a value in bytes of UTF-8. */
  readonly maxBytes: number
  /** Whether stored texts may exceed so many UTF-16 units, also those from before the field had a limit. */
  readonly mayExceed: (units: number) => boolean
  /** Whether values are kept and compared in lower case. */
  readonly isLowerCase: boolean
  /** Whether the empty text is rejected. */
  readonly refusesEmpty: boolean
  /** A rule that only `check` applies, such as "matching the pattern a+"; undefined: none. */
  readonly formRule: string | undefined
}

export type FieldType<Field> = TypeFacts & {
  /** Schema of a field of this type in a definition. */
  readonly schema: TSchema
  // A method, so that TypeScript accepts a row for any field; rows are only looked up by the field's
  // type.
  factsOf(field: Field): FieldFacts
}

// A short value that is not a text.
const defaultFacts = {
  hasOrder: true,
  comparedKind: undefined,
  indexKind: 'order' as const,
  isFreeText: false,
  textForm: 'exact' as const,
  isStructured: false,
  isSearchedByPart: false,
  sizeSql: undefined,
  fromCsv: (text: string): ReadText => ({ value: text }),
  toJson: (value: SqlValue): unknown => value,
}
const defaultOfField = {
  choices: undefined,
  digits: {},
  notes: [],
  maxLength: undefined,
  // Numbers, dates and enum words are not much longer.
  maxBytes: 100,
  mayExceed: () => false,
  isLowerCase: false,
  refusesEmpty: false,
  searchedPart: (part: string) => part,
  formRule: undefined,
}

type With<Facts, Usual> = Omit<Facts, keyof Usual> & Partial<Facts>

/** A row with defaults for what it does not set. */
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

/** Ends of the range and default of a field, as examples; a default that moves is none. */
export const ownValues = ({ min, max, default: fallback }: Range): readonly unknown[] =>
  [min, max, fallback].filter((value) => typeof value !== 'object')

export const rangeNotes = ({ min, max }: Range): readonly string[] => [
  ...(min === undefined ? [] : [`At least ${min}.`]),
  ...(max === undefined ? [] : [`At most ${max}.`]),
]
