/**
 * What callers may see of other users: one rule for histories, tasks, notifications, e-mails and documents.
 * Id and full name of the users who acted on a readable record are visible, unless the role hides these;
 * everything else needs the permission to read `user`. Users see their own record, except what the role
 * hides.
 */
import type { Column, Entity } from '../definitions/catalog.ts'
import type { Access, RecordScope } from './access.ts'

const nameColumns: ReadonlySet<string> = new Set(['id', 'full_name'])

/** The users of whom the caller may see a column, if they acted on a record that the caller may read. */
export const readableOfOthers = (access: Access, people: Entity, column: Column): RecordScope => {
  if (nameColumns.has(column.name) && !access.hides(people, column)) return 'all'
  return access.maySee(people, column) ? access.readScope(people) : 'none'
}

/** Access only to one's own user record. */
export const accessToSelf = (access: Access): Access => ({
  ...access,
  readScope: () => 'all',
  maySee: (entity, column) => !access.hides(entity, column),
})
