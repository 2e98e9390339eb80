/** What people call the values of a column: those of an enum, and the steps of a workflow. */
import type { Column, Entity } from './catalog.ts'

/** Whether the definition can name the values of a column. */
export const hasValueNames = ({ field, isSystem, name }: Column): boolean =>
  field.type === 'enum' || (isSystem && name === '_step')

/** The names by value; a value without one is shown as it is. */
export const valueNamesOf = (
  { definition }: Entity,
  { field, isSystem, name: column }: Column,
): ReadonlyMap<string, string> => {
  if (field.type === 'enum') return new Map(Object.entries(field.valueNames ?? {}))
  const steps = isSystem && column === '_step' ? (definition.workflow?.steps ?? []) : []
  return new Map(steps.flatMap(({ key, name }) => (name === undefined ? [] : [[key, name]])))
}
