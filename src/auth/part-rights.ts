/** Which fields of parts of records, such as tasks, a user may see and write: parts are reached by the roles that reach the record. */
import type { Column, Entity } from '../definitions/catalog.ts'
import { eachRoleOf, type Person, withRoles } from './caller.ts'
import { type EntityRights, isHidden, isReadOnly } from './entity-rights.ts'
import type { Permissions } from './permissions.ts'

export type PartRights = {
  /** Whether no role shows a column. */
  readonly isHidden: (column: Column) => boolean
  /** Of those that are seen. */
  readonly isReadOnly: (column: Column) => boolean
  /** The user with the roles alone that show a column, if others do not. */
  readonly showing: (column: Column) => Person | undefined
}

/** What the roles of a user grant on a part of the records that they reach: one that grants it is enough. */
export const partRightsOf = (
  permissions: Permissions,
  person: Person,
  part: Entity,
): PartRights => {
  const roles = eachRoleOf(person)
  const granting = (test: (rights: EntityRights) => boolean): readonly Person[] =>
    roles.filter((role) => test(permissions.rightsOf(role, part)))
  const showing = (column: Column) => granting((rights) => !isHidden(rights, column))
  const writing = (column: Column) =>
    granting((rights) => !isHidden(rights, column) && !isReadOnly(rights, column))
  return {
    isHidden: (column) => showing(column).length === 0,
    isReadOnly: (column) => writing(column).length === 0,
    showing: (column) => {
      const some = showing(column)
      if (some.length === roles.length) return undefined
      return withRoles(
        person,
        some.map(({ roleKey }) => roleKey),
      )
    },
  }
}
