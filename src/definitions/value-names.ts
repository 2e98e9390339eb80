/** What people call the values of a column: those of an enum, and the steps of a workflow. */
import type { Column, Entity } from './catalog.ts'

/** By column and value, what each choice is called. */
export type Choices = Readonly<Record<string, Readonly<Record<string, string>>>>

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

const valuesOf = ({ definition }: Entity, { field }: Column): readonly string[] =>
  field.type === 'enum' ? field.values : (definition.workflow?.steps ?? []).map(({ key }) => key)

/** The names of every choice of the columns that are seen; a value without a name is its own. */
export const choicesOf = (entity: Entity, isSeen: (column: Column) => boolean): Choices =>
  Object.fromEntries(
    entity.columns
      .filter((column) => hasValueNames(column) && isSeen(column))
      .map((column) => {
        const names = valueNamesOf(entity, column)
        const named = valuesOf(entity, column).map((value) => [value, names.get(value) ?? value])
        return [column.name, Object.fromEntries(named)]
      }),
  )
