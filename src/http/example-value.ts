/** Example values that a field really takes: each candidate goes through the check of its type. */
import type { Column, Entity } from '../definitions/catalog.ts'
import type { SqlValue } from '../definitions/check-value.ts'
import type { FieldOf, FieldTypeName } from '../definitions/field-definition.ts'
import { matchingText } from './matching-text.ts'

/** The value of a column in the example record; undefined when none can be made up. */
export const exampleOf = (entity: Entity, column: Column): unknown => {
  if (column.isSystem) return systemExample(entity, column)
  const { field, type } = column
  for (const candidate of candidatesOf(entity, column)) {
    const verdict = type.check(candidate, field as never, { timeZone: 'UTC' })
    if ('value' in verdict) return asAnswered(column, verdict.value)
  }
  return undefined
}

const moment = '2026-05-04T08:30:00.000Z'

const systemExample = (entity: Entity, { name, target }: Column): unknown => {
  if (name === 'id') return 17
  if (name === '_is_deleted') return false
  if (name === '_step') return entity.definition.workflow?.initialStep
  return target === undefined ? moment : 3
}

/** What PostgreSQL receives, as JSON shows it. */
const asAnswered = ({ field }: Column, value: SqlValue): unknown => {
  if (field.type === 'json') return JSON.parse(String(value))
  if (field.type === 'bigint' && Number.isSafeInteger(Number(value))) return Number(value)
  return value
}

const candidatesOf = (entity: Entity, { field }: Column): readonly unknown[] => {
  const byType = candidates[field.type] as (field: unknown, entity: Entity) => readonly unknown[]
  return [...knownValues(field.key), ...byType(field, entity)].filter((one) => one !== undefined)
}

type Range = { readonly min?: unknown; readonly max?: unknown; readonly default?: unknown }

const ends = ({ min, max, default: usual }: Range): unknown[] => [min, max, usual]

const candidates: {
  readonly [T in FieldTypeName]: (field: FieldOf<T>, entity: Entity) => readonly unknown[]
} = {
  string: (field, entity) => [
    field.default,
    ...(field.pattern === undefined ? [] : [matchingText(field.pattern)]),
    [...labelOf(field, entity)].slice(0, field.maxLength).join(''),
  ],
  text: (field, entity) => [field.default, labelOf(field, entity)],
  email: () => ['anna.novak@example.com'],
  integer: (field) => [field.default, 12, 3, ...ends(field)],
  bigint: (field) => [field.default, 1_250_000, ...ends(field)],
  decimal: (field) => ['1250.5', '12.5', '1.5', '0.5', '12', '1', ...ends(field), '0'],
  boolean: (field) => [field.default, true],
  date: (field) => ['2026-05-04', ...ends(field)],
  timestamp: (field) => [moment, ...ends(field)],
  enum: (field) => [field.default, ...field.values],
  json: (field) => [field.default, { any: ['JSON', 'value'] }],
  manyToOne: () => [3],
  oneToMany: () => [],
}

/** `Example supplier` for its name, `Example department` for a department. */
const labelOf = ({ key, name }: FieldOf<'string' | 'text'>, entity: Entity): string => {
  const isName = ['name', 'title', entity.definition.displayField].includes(key)
  return `Example ${(isName ? entity.name : (name ?? key)).toLowerCase()}`
}

/** What a key usually stands for: by the whole key, else by its last word. */
const knownValues = (key: string): readonly unknown[] =>
  known.get(key) ?? known.get(key.split('_').at(-1) ?? '') ?? []

const remarks = ['Please ring at the back door.']
const known: ReadonlyMap<string, readonly unknown[]> = new Map([
  ['first_name', ['Anna']],
  ['last_name', ['Novak']],
  ['full_name', ['Anna Novak']],
  ['contact_name', ['Anna Novak']],
  ['identity_provider_user_id', ['8f14e45f-ceea-467f-9575-2b1f0c1d3e57']],
  ['job_title', ['Buyer']],
  ['phone', ['+385 1 2345 678']],
  ['phone_prefix', ['+385']],
  ['street', ['Ilica 10']],
  ['postal_code', ['10000']],
  ['city', ['Zagreb']],
  ['code', ['ACME', 'EUR', 'HR']],
  ['symbol', ['€']],
  ['bank_account', ['HR12 1001 0051 8630 0016 0']],
  ['tax_number', ['HR12345678901']],
  ['url', ['https://example.com/']],
  ['key', ['example']],
  ['entity_key', ['purchase_order']],
  ['exchange_rate', ['1.25']],
  ['rate', ['20']],
  ['price', ['12.5']],
  ['quantity', ['12']],
  ['discount', ['12.5']],
  ['margin', ['12.5']],
  ['limit', ['5000']],
  ['notes', remarks],
  ['remark', remarks],
  ['remarks', remarks],
  ['comment', remarks],
])
