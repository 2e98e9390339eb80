/** Values that a field accepts, for lines to paste. */
import type { Column } from '../definitions/catalog.ts'

/** Whether a sample can be made up without looking at other records. */
export const isWritableByHand = ({ field }: Column): boolean => {
  if (field.type === 'string') return field.pattern === undefined
  return !['manyToOne', 'oneToMany', 'json'].includes(field.type)
}

/** A value; unique ones differ from start to start. */
export const sampleOf = ({ field }: Column): unknown => {
  const mark = Date.now().toString(36).toUpperCase().slice(-6)
  switch (field.type) {
    case 'string':
      return `New ${mark}`.slice(0, field.maxLength ?? 100)
    case 'text':
      return 'A first record'
    case 'email':
      return `${mark.toLowerCase()}@example.com`
    case 'integer':
      return field.min ?? 1
    case 'bigint':
      return field.min ?? 1
    case 'decimal':
      return field.min ?? '10.00'
    case 'boolean':
      return true
    case 'date':
      return field.min ?? '2026-01-15'
    case 'timestamp':
      return field.min ?? '2026-01-15 08:30:00'
    case 'enum':
      return field.values[0]
    default:
      return null
  }
}
