/** What a caller may see: the planner uses it, permissions implement it. */
import type { Sql } from '../database/sql.ts'
import type { Column, Entity } from '../definitions/catalog.ts'
import type { Sharing } from '../definitions/native-entities.ts'

/** Records that others share with users of some roles, if these may see every path that the records name. */
export type SharedRecords = {
  readonly by: Sharing
  readonly roles: readonly string[]
  /** JSON: the visible names of each entity, with the target of an association. */
  readonly sight: string
}

/** A link of records that leads, in each of them, to one of the records that a select finds by an index. */
export type FewLinked = { readonly link: Sql; readonly ids: Sql }

/** Some records of an entity: those that meet all of what is said here. */
export type PartialScope = {
  /** They were created or are owned by the user of this id, or are shared. */
  readonly ownedBy?: Sql
  readonly shared?: SharedRecords
  /** The condition of the role, on the record under an alias. */
  readonly meets?: (alias: string) => Sql
  /** What follows from that condition: where links of the records lead, if it is to few. */
  readonly few?: (alias: string) => readonly FewLinked[]
  /** They are in one of these: what each role of a caller covers. */
  readonly any?: readonly PartialScope[]
  /** By name, columns that not every role of a caller shows: the records in which one does. */
  readonly shown?: ReadonlyMap<string, RecordScope>
}

/** Which records of an entity. */
export type RecordScope = 'all' | 'none' | PartialScope

/** The scope without what others share: the history of a record may name more than the record does now. */
export const withoutShared = (scope: RecordScope): RecordScope =>
  typeof scope === 'string' ? scope : withoutMember(scope)

const withoutMember = ({ shared: _, any, ...scope }: PartialScope): PartialScope =>
  any ? { ...scope, any: any.map(withoutMember) } : scope

/** Whether a scope has every record, whatever is shown of each. */
export const hasEvery = (scope: RecordScope): boolean =>
  scope === 'all' || (typeof scope !== 'string' && !scope.ownedBy && !scope.meets && !scope.any)

/** The records of a scope in which a column is shown. */
export const shownIn = (scope: RecordScope, column: Pick<Column, 'name'>): RecordScope =>
  typeof scope === 'string' ? scope : (scope.shown?.get(column.name) ?? scope)

/** A column as it is read of an entity: a part of the records may show nothing of it. */
export const asShown = (
  access: Pick<Access, 'readScope'>,
  entity: Entity,
  column: Column,
): Column => {
  const scope = access.readScope(entity)
  if (typeof scope === 'string' || !scope.shown?.has(column.name)) return column
  const { field } = column
  return { ...column, field: { ...field, required: false } as Column['field'] }
}

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
