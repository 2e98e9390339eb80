/** Which fields of tasks a user may see and write: tasks are part of a record, and are reached by the roles that reach that record. */
import type { Column, Entity } from '../definitions/catalog.ts'
import { hasEvery } from '../query/access.ts'
import { eachRoleOf, type Person } from './caller.ts'
import { type EntityRights, isHidden, isReadOnly } from './entity-rights.ts'
import type { Permissions } from './permissions.ts'

export type TaskRights = {
  readonly isHidden: (column: Column) => boolean
  /** Of those that are seen. */
  readonly isReadOnly: (column: Column) => boolean
}

/**
 * The rights on tasks of records of an entity, whatever the record. Of several roles, which of them reach a record is not asked: what
 * one grants that reaches all of them is granted, and what all grant that reach any.
 */
export const taskRightsOf = (
  permissions: Permissions,
  person: Person,
  { entity, task }: { readonly entity: Entity; readonly task: Entity },
): TaskRights => {
  const all = eachRoleOf(person).map((role) => {
    const scopes = (['read', 'tasks'] as const).map((right) =>
      permissions.scopeOf(role, right, entity),
    )
    return {
      rights: permissions.rightsOf(role, task),
      reaches: !scopes.includes('none'),
      reachesAll: scopes.every(hasEvery),
    }
  })
  const some = all.filter(({ reaches }) => reaches)
  const reaching = some.length > 0 ? some : all
  const grants = (test: (rights: EntityRights) => boolean): boolean =>
    reaching.some(({ rights, reachesAll }) => reachesAll && test(rights)) ||
    reaching.every(({ rights }) => test(rights))
  return {
    isHidden: (column) => !grants((rights) => !isHidden(rights, column)),
    isReadOnly: (column) =>
      !grants((rights) => !isHidden(rights, column) && !isReadOnly(rights, column)),
  }
}
