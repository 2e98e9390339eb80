/** What a caller may see: the planner uses it, permissions implement it. */
import type { Sql } from '../database/sql.ts'
import type { Column, Entity } from '../definitions/catalog.ts'
import type { Sharing } from '../definitions/native-entities.ts'

/** Records that others share with users of a role, if these may see every path that the records name. */
export type SharedRecords = {
  readonly by: Sharing
  readonly roleKey: string
  /** JSON: the visible names of each entity, with the target of an association. */
  readonly sight: string
}

/** Some records of an entity: those that meet all of what is said here. */
export type PartialScope = {
  /** They were created or are owned by the user of this id, or are shared. */
  readonly ownedBy?: Sql
  readonly shared?: SharedRecords
  /** The condition of the role, on the record under an alias. */
  readonly meets?: (alias: string) => Sql
}

/** Which records of an entity. */
export type RecordScope = 'all' | 'none' | PartialScope

/** The scope without what others share: the history of a record may name more than the record does now. */
export const withoutShared = (scope: RecordScope): RecordScope =>
  typeof scope === 'string' ? scope : withoutMember(scope)

const withoutMember = ({ shared: _, ...scope }: PartialScope): PartialScope => scope

export type Access = {
  /** Records of the entity that may be read, also when they are reached by an association. */
  readonly readScope: (entity: Entity) => RecordScope
  /**
   * Whether a column is visible; other columns count as unknown. The result is always the same: results are
   * cached by this function and shared by all callers with the same function.
   */
  readonly maySee: (entity: Entity, column: Column) => boolean
  /** Whether the caller's role hides a column by name, whatever else it may read. */
  readonly hides: (entity: Entity, column: Column) => boolean
}

/** For the service itself: everything is visible. */
export const fullAccess: Access = {
  readScope: () => 'all',
  maySee: () => true,
  hides: () => false,
}
