/**
 * Every field type by name, and the definition of a field. A new type is a file or a row in `field-types/`, a line here, and a row in
 * `console/features/format/field-kinds.ts`. These lists name it where their rule applies to it, which the compiler does not ask for:
 * - `values/rules/check-entered.ts`: the check of forms before they are sent;
 * - `values/placeholders.ts`, `personal-data/searched-texts.ts`: personal values that are replaced, and those that are looked for;
 * - `calculations/formulas.ts`, `calculations/rollups.ts`: what formulas and rollups take;
 * - `checks/check-references.ts`: which fields can name a unit;
 * - `schema-sync/diff/type-change.ts`: to which types of columns its values convert.
 */
import { boolean, enumeration } from './field-types/choices.ts'
import type { FieldFacts, FieldType, TypeFacts } from './field-types/field-type.ts'
import { file, files } from './field-types/files.ts'
import { json } from './field-types/json.ts'
import { manyToOne, oneToMany } from './field-types/links.ts'
import { bigint, decimal, integer } from './field-types/numbers.ts'
import { email, phone, string, text, url } from './field-types/texts.ts'
import { date, timestamp } from './field-types/times.ts'

export const fieldTypes = {
  string,
  text,
  email,
  url,
  phone,
  integer,
  bigint,
  decimal,
  boolean,
  date,
  timestamp,
  enum: enumeration,
  json,
  file,
  files,
  manyToOne,
  oneToMany,
} as const

export type FieldTypeName = keyof typeof fieldTypes
type Fields = { [T in FieldTypeName]: Parameters<(typeof fieldTypes)[T]['factsOf']>[0] }
export type FieldDefinition = Fields[FieldTypeName]
/** The definition of a field of one type. */
export type FieldOf<T extends FieldTypeName> = Extract<FieldDefinition, { type: T }>

/** The type of a field, with its facts for this field. */
export type BoundType = TypeFacts & FieldFacts

/** The type of a field, bound to it. */
export const fieldTypeOf = (field: FieldDefinition): BoundType => {
  const type: FieldType<FieldDefinition> = fieldTypes[field.type]
  return { ...type, ...type.factsOf(field) }
}

/** The path to the unit of a number; undefined where it has none, or the same one in all records. */
export const unitPathOf = (field: FieldDefinition): string | undefined =>
  'unit' in field && typeof field.unit === 'object' ? field.unit.field : undefined

/** The same field with fewer rules. */
export const withoutRules = (field: FieldDefinition, ...rules: string[]): FieldDefinition =>
  Object.fromEntries(
    Object.entries(field).filter(([property]) => !rules.includes(property)),
  ) as FieldDefinition
