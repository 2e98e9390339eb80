/** What people call values, paths and roles: the values of an enum, the steps of a workflow, and the fields on a path. */
import { resolvePath } from './association-path.ts'
import type { Catalog, Column, Entity } from './catalog.ts'
import { administratorRole } from './checks/check-role.ts'
import { choiceNames, labelOf } from './values/rules/key-names.ts'

/** By column and value, what each choice is called. */
type Choices = Readonly<Record<string, Readonly<Record<string, string>>>>

/** Whether the definition can name the values of a column. */
export const hasValueNames = ({ field, isSystem, name }: Column): boolean =>
  field.type === 'enum' || (isSystem && name === '_step')

/** The names by value, those of an enum also by its words; a value without one is shown as it is. */
export const valueNamesOf = (
  { definition }: Entity,
  { field, isSystem, name: column }: Column,
): ReadonlyMap<string, string> => {
  if (field.type === 'enum') return choiceNames(field)
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

/** `Supplier › Country`; the path itself if it cannot be followed. */
export const pathLabel = (catalog: Catalog, entity: Entity, path: string): string => {
  const resolved = resolvePath(catalog, entity, path)
  if ('message' in resolved) return path
  const { steps, column } = resolved.path
  return [...steps, column].map(({ field }) => labelOf(field)).join(' › ')
}

// What roles are called: by their files, in the language of the catalog.

/** The name of a role; its key where its file has no name, or no file is left. */
export const roleNameOf = ({ roles }: Catalog, key: string): string =>
  key === administratorRole ? 'Administrator' : (roles.get(key)?.name ?? key)

type NamedRole = { readonly key: string; readonly name: string }

/** Roles with their names. */
export const withNames = (catalog: Catalog, keys: readonly string[]): readonly NamedRole[] =>
  keys.map((key) => ({ key, name: roleNameOf(catalog, key) }))

/** Every role with its name, the administrator first. */
export const namedRoles = (catalog: Catalog): readonly NamedRole[] =>
  withNames(catalog, [administratorRole, ...catalog.roles.keys()])
