/** What the validations of an entity demand of the record that a link leads to. */
import type { Entity, Field } from '../../api/types.ts'
import { kindOf } from '../format/field-kinds.ts'
import { isObject } from '../session/address-values.ts'

type Criteria = Readonly<Record<string, unknown>>

/** A value with what is entered in place of `$field`; undefined where that is empty, so that nothing is demanded. */
const filled = (value: unknown, valueAt: (path: string) => unknown): unknown => {
  if (!isObject(value)) return value
  if (typeof value.$field === 'string') return valueAt(value.$field) ?? undefined
  const parts = Object.entries(value).map(([name, part]) => [name, filled(part, valueAt)] as const)
  return parts.some(([, part]) => part === undefined) ? undefined : Object.fromEntries(parts)
}

/**
 * Criteria on the records that a link may lead to, given what else the form holds: those of validations that compare
 * nothing but the linked record. Undefined if there are none.
 */
export const choiceCondition = (
  { fields, validations = [] }: Entity,
  field: Field,
  read: (column: string) => unknown,
): Criteria | undefined => {
  if (!kindOf(field).isLink) return undefined
  const start = `${field.key}.`
  const valueAt = (path: string): unknown => {
    const own = fields.find((one) => one.key === path || one.column === path)
    return own?.column ? read(own.column) : undefined
  }
  const demands = validations.flatMap(({ condition }) => {
    const compares = Object.entries(condition ?? {})
    if (!compares.every(([path]) => path.startsWith(start))) return []
    return compares.flatMap(([path, value]) => {
      const wanted = filled(value, valueAt)
      return wanted === undefined ? [] : [{ [path.slice(start.length)]: wanted }]
    })
  })
  return demands.length === 0 ? undefined : { $and: demands }
}
