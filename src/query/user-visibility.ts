/**
 * How people appear to others: one rule for histories, tasks, notifications, e-mails and documents.
 * Whoever acted on a record that one may read is known by id and full name, unless the role hides
 * these; everything else of them follows from the right to read `user`. Of oneself everything is
 * known but what the role hides.
 */
import type { Column, Entity } from '../definitions/catalog.ts'
import type { Access, RecordScope } from './access.ts'

const nameColumns: ReadonlySet<string> = new Set(['id', 'full_name'])

/** The users of whom the asker may know a column, when they acted on what the asker may read. */
export const readableOfOthers = (access: Access, people: Entity, column: Column): RecordScope => {
  if (nameColumns.has(column.name) && !access.hides(people, column)) return 'all'
  return access.maySee(people, column) ? access.readScope(people) : 'none'
}

/** Access to one's own user record, and to nothing beside it. */
export const accessToSelf = (access: Access): Access => ({
  ...access,
  readScope: () => 'all',
  maySee: (entity, column) => !access.hides(entity, column),
})
