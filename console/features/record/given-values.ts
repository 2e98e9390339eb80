/** Values that the address gives a new record, such as the record that it belongs to. */
import type { Entity, Field } from '../../api/types.ts'
import { isEntered } from '../values/own-fields.ts'
import type { NewRecordSearch } from './new-record-search.ts'

/** The given values that the entity has fields for. */
export const givenValues = (
  { fields }: Entity,
  { values = {} }: NewRecordSearch,
): readonly (readonly [string, unknown])[] =>
  fields
    .filter(isEntered)
    .flatMap(({ column }) =>
      column !== null && Object.hasOwn(values, column) ? [[column, values[column]] as const] : [],
    )

export type Parent = {
  readonly entity: Entity
  readonly id: number
  /** The one-to-many of the parent that the new record is one of. */
  readonly field: Field
}

/** The record that a new one was asked for from: it is linked to it, and is one of its lists. */
export const parentOf = (
  entity: Entity,
  search: NewRecordSearch,
  entities: ReadonlyMap<string, Entity>,
): Parent | undefined => {
  for (const [column, id] of givenValues(entity, search)) {
    const link = entity.fields.find((one) => one.column === column)
    const target = entities.get(link?.entity ?? '')
    const field = target?.fields.find(
      ({ type, entity: child, mappedBy }) =>
        type === 'oneToMany' && child === entity.key && mappedBy === link?.key,
    )
    if (target && field && typeof id === 'number') return { entity: target, id, field }
  }
  return undefined
}
