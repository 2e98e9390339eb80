/**
 * What callers may see of other users: one rule for records, histories, tasks, notifications, e-mails and documents.
 * Id and full name of the users who acted on a readable record, or to whom it links, are visible, unless the role
 * hides these; everything else needs the permission to read `user`. Users see their own record, except what the role
 * hides.
 */
import type { MaySee } from '../definitions/association-path.ts'
import type { Column, Entity } from '../definitions/catalog.ts'
import { type Access, type RecordScope, shownIn } from './access.ts'

const nameColumns: ReadonlySet<string> = new Set(['id', 'full_name'])

/** The users of whom the caller may see a column, if they acted on a record that the caller may read. */
export const readableOfOthers = (access: Access, people: Entity, column: Column): RecordScope => {
  if (nameColumns.has(column.name) && !access.hides(people, column)) return 'all'
  return access.maySee(people, column) ? shownIn(access.readScope(people), column) : 'none'
}

/** The field of a user's name, where the caller sees it of users whom they may not read; undefined for others. */
export const nameBeyondScope = (access: Access, target: Entity): string | undefined => {
  const name = target.key === 'user' ? target.columnsByName.get('full_name') : undefined
  const isBeyond = name && access.readScope(target) !== 'all' && !access.hides(target, name)
  return isBeyond ? name.name : undefined
}

/** Of which records behind a link the caller may see a column, if they may read the record that has the link. */
export const linkedScope = (access: Access, target: Entity, column: Column): RecordScope => {
  if (nameBeyondScope(access, target) !== undefined) return readableOfOthers(access, target, column)
  return access.maySee(target, column) ? shownIn(access.readScope(target), column) : 'none'
}

/** Whether the caller may follow a path to a column: users have names wherever a readable record links to them. */
export const maySeeByPath =
  (access: Access): MaySee =>
  (entity, column) =>
    access.maySee(entity, column) || linkedScope(access, entity, column) !== 'none'

/** Whether records behind a link come with the record that has it, in whole or by name. */
export const mayInclude = (access: Access, target: Entity): boolean =>
  access.readScope(target) !== 'none' || nameBeyondScope(access, target) !== undefined

/** Access only to one's own user record. */
export const accessToSelf = (access: Access): Access => ({
  ...access,
  readScope: () => 'all',
  maySee: (entity, column) => !access.hides(entity, column),
})
