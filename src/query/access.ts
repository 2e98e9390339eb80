/** What the asker of a query may see: the planner reads it, rights decide it. */
import type { Column, Entity } from '../definitions/catalog.ts'

/** Which records of an entity: all, none, or those that one user created or owns. */
export type RecordScope = 'all' | 'none' | { readonly ownedBy: number }

export type Access = {
  /** Records of the entity that may be read, also when it is reached by an association. */
  readonly readScope: (entity: Entity) => RecordScope
  /**
   * Whether a column is visible; one that is not is as good as unknown. It answers always the same: what
   * is made by one of these functions is kept for all who are asked by the same.
   */
  readonly maySee: (entity: Entity, column: Column) => boolean
  /** Whether the asker's role hides a column by name, whatever else it may read. */
  readonly hides: (entity: Entity, column: Column) => boolean
}

/** The service itself asks: everything is visible. */
export const fullAccess: Access = {
  readScope: () => 'all',
  maySee: () => true,
  hides: () => false,
}
