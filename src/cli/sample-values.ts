/** A record to create by hand: values that its fields accept, unlike those of the last start. */

import type { Column, Entity } from '../definitions/catalog.ts'
import { exampleOf } from '../http/example-value.ts'

/** The columns that a create must name. */
export const neededColumns = (entity: Entity): Column[] =>
  entity.columns.filter(
    ({ field, isSystem }) =>
      !isSystem && 'required' in field && field.required === true && !('default' in field),
  )

/** A body that creates a record, or undefined where it would have to link to another one. */
export const sampleBody = (entity: Entity): Record<string, unknown> | undefined => {
  const columns = neededColumns(entity)
  if (columns.some(({ target }) => target !== undefined)) return undefined
  const values = columns.map((column) => [column.name, sampleOf(entity, column)] as const)
  return values.some(([, value]) => value === undefined) ? undefined : Object.fromEntries(values)
}

const attempts = 50

/** Unique texts keep their form, but other letters and digits stand in it. */
const sampleOf = (entity: Entity, column: Column): unknown => {
  const example = exampleOf(entity, column)
  const isUnique = 'unique' in column.field && column.field.unique === true
  if (!isUnique || typeof example !== 'string') return example
  if (!('pattern' in column.field) && column.field.type === 'string')
    return `${example} ${Date.now().toString(36)}`.slice(0, column.field.maxLength)
  for (let attempt = 0; attempt < attempts; attempt++) {
    const varied = example.replaceAll(/[A-Z]|[a-z]|[0-9]/g, varyCharacter)
    const verdict = column.type.check(varied, column.field as never, { timeZone: 'UTC' })
    if ('value' in verdict) return varied
  }
  return example
}

const varyCharacter = (character: string): string => {
  const [first, size] = /[A-Z]/.test(character)
    ? ['A', 26]
    : /[a-z]/.test(character)
      ? ['a', 26]
      : ['0', 10]
  return String.fromCharCode(String(first).charCodeAt(0) + Math.floor(Math.random() * Number(size)))
}
