/**
 * One row per field type: its column in PostgreSQL, the check of a value, and the SQL expressions
 * that print a column as CSV text, as JSON and as a spreadsheet cell. A new type is a new row.
 */

import { checkEmail, checkJson, checkString, checkText } from './check-text.ts'
import {
  checkBigint,
  checkBoolean,
  checkDate,
  checkDecimal,
  checkEnum,
  checkInteger,
  checkTimestamp,
  type Verdict,
} from './check-value.ts'
import type { FieldDefinition, FieldOf, FieldTypeName } from './field-definition.ts'

type ValueContext = {
  /** The zone in which a time without an offset is read. */
  readonly timeZone: string
}

/** How values of a type compare; decides which criteria operators a field takes. */
export type Comparison = 'text' | 'ordered' | 'equal' | 'none'

/** How a spreadsheet shows the type: as text, or typed with the number format of that name. */
export type CellKind = 'text' | 'number' | 'boolean' | 'date' | 'timestamp'

export type FieldType<T extends FieldTypeName = FieldTypeName> = {
  /** The column's type in PostgreSQL, as the catalog prints it. */
  readonly sqlType: (field: FieldOf<T>) => string
  /** The type that a bound value is cast to. */
  readonly cast: string
  readonly comparison: Comparison
  /** true when a spreadsheet could run the text as a formula. */
  readonly isFreeText: boolean
  /** Text for CSV from a column expression; null stays null. */
  readonly csvText: (column: string) => string
  /** JSON text from a column expression; null stays null. */
  readonly jsonText: (column: string) => string
  readonly cell: CellKind
  /** Characters of a usual value as people read it: the width of a column. */
  readonly width: (field: FieldOf<T>) => number
  /** Checks a JSON value and gives what is bound in SQL. */
  readonly check: (value: unknown, field: FieldOf<T>, context: ValueContext) => Verdict
  /** The value in an OpenAPI schema. */
  readonly jsonSchema: (field: FieldOf<T>) => Record<string, unknown>
}

// timestamptz(3) as ISO 8601 with milliseconds: a tenth of a millisecond makes PostgreSQL print
// four fraction digits, the cut at 23 characters leaves three. 1M rows: 0.69 s, to_char 1.01 s.
const isoTimestamp = (column: string) =>
  `left(replace((${column} AT TIME ZONE 'UTC' + interval '0.0001 s')::text,' ','T'),23)||'Z'`
const asText = (column: string) => `${column}::text`
const asJsonString = (column: string) => `'"'||${column}||'"'`
const asJsonText = (column: string) => `to_json(${column})::text`

const stringLike = {
  cast: 'text',
  isFreeText: true,
  comparison: 'text',
  csvText: (column: string) => column,
  jsonText: asJsonText,
  cell: 'text',
} as const

export const fieldTypes: { readonly [T in FieldTypeName]: FieldType<T> } = {
  string: {
    ...stringLike,
    width: ({ maxLength = 30 }) => Math.min(maxLength, 40),
    sqlType: () => 'text',
    check: checkString,
    jsonSchema: (field) => ({
      type: 'string',
      ...(field.maxLength && { maxLength: field.maxLength }),
      ...(field.pattern && { pattern: `^(?:${field.pattern})$` }),
    }),
  },
  text: {
    ...stringLike,
    width: () => 50,
    sqlType: () => 'text',
    check: checkText,
    jsonSchema: (field) => ({
      type: 'string',
      ...(field.maxLength && { maxLength: field.maxLength }),
    }),
  },
  email: {
    ...stringLike,
    width: () => 30,
    sqlType: () => 'text',
    check: checkEmail,
    jsonSchema: () => ({ type: 'string', format: 'email', maxLength: 254 }),
  },
  integer: {
    sqlType: () => 'integer',
    cast: 'integer',
    comparison: 'ordered',
    isFreeText: false,
    csvText: asText,
    jsonText: asText,
    cell: 'number',
    width: () => 10,
    check: checkInteger,
    jsonSchema: (field) => ({
      type: 'integer',
      minimum: field.min ?? -2147483648,
      maximum: field.max ?? 2147483647,
    }),
  },
  bigint: {
    sqlType: () => 'bigint',
    cast: 'bigint',
    comparison: 'ordered',
    isFreeText: false,
    csvText: asText,
    jsonText: (column) =>
      `CASE WHEN ${column} BETWEEN -9007199254740991 AND 9007199254740991 THEN ${column}::text ELSE '"'||${column}||'"' END`,
    cell: 'number',
    width: () => 18,
    check: checkBigint,
    jsonSchema: () => ({
      oneOf: [{ type: 'integer' }, { type: 'string', pattern: '^-?[0-9]+$' }],
      description: 'A string outside the safe range of a JSON number.',
    }),
  },
  decimal: {
    sqlType: (field) =>
      field.precision === undefined ? 'numeric' : `numeric(${field.precision},${field.scale ?? 0})`,
    cast: 'numeric',
    comparison: 'ordered',
    isFreeText: false,
    csvText: asText,
    jsonText: asJsonString,
    cell: 'number',
    width: ({ precision = 12 }) => precision + 3,
    check: checkDecimal,
    jsonSchema: () => ({ type: 'string', pattern: '^-?[0-9]+(\\.[0-9]+)?$', format: 'decimal' }),
  },
  boolean: {
    sqlType: () => 'boolean',
    cast: 'boolean',
    comparison: 'equal',
    isFreeText: false,
    csvText: asText,
    jsonText: asText,
    cell: 'boolean',
    width: () => 8,
    check: checkBoolean,
    jsonSchema: () => ({ type: 'boolean' }),
  },
  date: {
    sqlType: () => 'date',
    cast: 'date',
    comparison: 'ordered',
    isFreeText: false,
    csvText: asText,
    jsonText: asJsonString,
    cell: 'date',
    width: () => 11,
    check: checkDate,
    jsonSchema: () => ({ type: 'string', format: 'date' }),
  },
  timestamp: {
    sqlType: () => 'timestamp(3) with time zone',
    cast: 'timestamptz',
    comparison: 'ordered',
    isFreeText: false,
    csvText: isoTimestamp,
    jsonText: (column) => `'"'||${isoTimestamp(column)}||'"'`,
    cell: 'timestamp',
    width: () => 20,
    check: checkTimestamp,
    jsonSchema: () => ({ type: 'string', format: 'date-time' }),
  },
  enum: {
    ...stringLike,
    width: ({ values }) => Math.max(...values.map((value) => value.length)),
    sqlType: () => 'text',
    check: checkEnum,
    jsonSchema: (field) => ({ type: 'string', enum: field.values }),
  },
  json: {
    // json, not jsonb: the text stays as the service wrote it, compact and with its keys in their order.
    sqlType: () => 'json',
    cast: 'json',
    comparison: 'none',
    isFreeText: false,
    csvText: asText,
    jsonText: asText,
    cell: 'text',
    width: () => 40,
    check: checkJson,
    jsonSchema: () => ({}),
  },
  manyToOne: {
    sqlType: () => 'integer',
    cast: 'integer',
    comparison: 'ordered',
    isFreeText: false,
    csvText: asText,
    jsonText: asText,
    cell: 'number',
    width: () => 10,
    check: (value) => checkInteger(value, { min: 1 }),
    jsonSchema: () => ({ type: 'integer', minimum: 1, maximum: 2147483647 }),
  },
  oneToMany: {
    sqlType: () => {
      throw new Error('A one-to-many field has no column.')
    },
    cast: 'integer',
    comparison: 'none',
    isFreeText: false,
    csvText: asText,
    jsonText: asText,
    cell: 'number',
    width: () => 10,
    check: () => ({ rule: 'malformed', message: 'one-to-many fields cannot be written' }),
    jsonSchema: () => ({ type: 'array', items: { type: 'integer' } }),
  },
}

/** The row of a field's type, for any field. */
export const fieldTypeOf = (field: FieldDefinition): FieldType =>
  fieldTypes[field.type] as unknown as FieldType
