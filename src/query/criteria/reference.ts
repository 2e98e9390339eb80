/** Values that name a field: `{ "$field": path }` of the same record, `{ "$caller": path }` of whoever acts. */
import type { Reference } from './criteria.ts'
import { criteriaLimits } from './criteria-limits.ts'
import { relations } from './operators.ts'
import { isObject, type Reading } from './reading.ts'

/** Which keys name a field of what. */
const keys = { $field: 'record', $caller: 'caller' } as const satisfies Readonly<
  Record<string, Reference['of']>
>
type Key = keyof typeof keys

const keyIn = (value: unknown, { namesCaller }: Reading): Key | undefined => {
  if (!isObject(value)) return undefined
  const known: readonly Key[] = namesCaller ? ['$field', '$caller'] : ['$field']
  return known.find((key) => key in value)
}

/** Whether a value, of any form, has a key that names a field. */
export const namesReference = (value: unknown, reading: Reading): boolean =>
  keyIn(value, reading) !== undefined

type ReadReference = { readonly key: Key } & (
  | { readonly named: Reference }
  | { readonly issue: string }
)

/** The field that a value names, or what is wrong with it; undefined for any other value. */
export const readReference = (value: unknown, reading: Reading): ReadReference | undefined => {
  const key = keyIn(value, reading)
  if (key === undefined || !isObject(value)) return undefined
  const path = value[key]
  if (typeof path !== 'string' || path === '' || Object.keys(value).length > 1)
    return { key, issue: `must name one field or path and nothing else, as { "${key}": "name" }` }
  return path.length > criteriaLimits.name
    ? { key, issue: `is longer than ${criteriaLimits.name} characters, so it names no field` }
    : { key, named: { of: keys[key], path } }
}

/** The issue of an operator that does not compare with a field. */
export const refusedReference = (key: Key): string => {
  const names = relations.map((name) => `"${name}"`)
  const list = `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`
  return `does not take "${key}"; compare by ${list}`
}
