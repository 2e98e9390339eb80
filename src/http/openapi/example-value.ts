/** Example values that a field accepts: each candidate is checked by its type. */
import type { Column, Entity } from '../../definitions/catalog.ts'

/** The value of a column in the example record; undefined if there is none. */
export const answeredExampleOf = (entity: Entity, column: Column): unknown =>
  column.type.answeredExample ?? exampleOf(entity, column)

/** The value of a column in a body; undefined if there is none. */
export const exampleOf = (entity: Entity, column: Column): unknown => {
  if (column.isSystem) return systemExample(entity, column)
  const { field, type } = column
  for (const candidate of [...knownValues(field.key), ...type.examples(labelOf(column, entity))]) {
    if (candidate === undefined) continue
    const verdict = type.check(candidate, 'UTC')
    if ('value' in verdict) return type.toJson(verdict.value)
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

/** `Example supplier` for its name, `Example department` for a department. */
const labelOf = ({ field: { key, name } }: Column, entity: Entity): string => {
  const isName = ['name', 'title', entity.definition.displayField].includes(key)
  return `Example ${(isName ? entity.name : (name ?? key)).toLowerCase()}`
}

/** Typical values for a key: by the whole key, else by its last word. */
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
