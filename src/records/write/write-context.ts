/** Who writes which records, and whether the records that values link to exist for the writer. */
import type { RecordAuthor } from '../../auth/caller.ts'
import {
  type EntityRights,
  isHidden,
  isReadOnly,
  type RecordRight,
  type RightConditions,
} from '../../auth/entity-rights.ts'
import type { RightMessages } from '../../auth/permissions.ts'
import { type Connection, queryOnce } from '../../database/pool.ts'
import {
  bound,
  int,
  join,
  notDeleted,
  nothing,
  raw,
  ref,
  type Sql,
  sql,
  table,
} from '../../database/sql.ts'
import type { Rollup } from '../../definitions/calculations/rollups.ts'
import type { Catalog, Column, Entity } from '../../definitions/catalog.ts'
import type { SqlValue } from '../../definitions/values/check-value.ts'
import type { Access, RecordScope } from '../../query/access.ts'
import { compileScope } from '../../query/compile-scope.ts'
import { compileRows } from '../../query/compile-select.ts'
import { recordList } from '../../query/record-list.ts'
import { mayLink } from './native-guards.ts'
import type { Values } from './write-statements.ts'

type Reference = {
  /** `EXISTS (…)`: whether the record exists for the caller. */
  readonly exists: Sql
  /** The name of the target for messages; an entity that the caller may not read is not named. */
  readonly name: string
}

/** Returns how to check a many-to-one value; undefined if there is nothing to check. */
export type ReferenceCheck = (column: Column, value: SqlValue) => Reference | undefined

type Options = {
  readonly catalog: Catalog
  readonly access: Access
  /** Only an administrator may assign the administrator role. */
  readonly isAdministrator: boolean
}

/**
 * Conditions under which values may be written over the row under an alias: each link exists for the
 * caller, or is unchanged, whatever happened to its target.
 */
export const linkConditions = (
  values: Values,
  references: ReferenceCheck,
  alias: string,
): readonly Sql[] =>
  [...values].flatMap(([column, value]) => {
    const reference = references(column, value)
    if (!reference) return []
    const same = sql`${ref(column.name, alias)} = ${bound(value, column.type.cast)}`
    return [sql`(${same} OR ${reference.exists})`]
  })

/** Whether a record that the values newly link to is not there for the caller. */
export const lacksReference = async (
  connection: Connection,
  { entity, references }: Pick<WriteContext, 'entity' | 'references'>,
  id: number,
  values: Values,
): Promise<boolean> => {
  const conditions = linkConditions(values, references, 't')
  if (conditions.length === 0) return false
  const select = sql`SELECT ${join(conditions, ' AND ')} AS found FROM ${table(entity)} t WHERE t.id = ${int(id)}`
  const [row] = await queryOnce<{ found: boolean | null }>(connection, select)
  return !row?.found
}

export const createReferenceCheck =
  ({ catalog, access, isAdministrator }: Options): ReferenceCheck =>
  (column, value) => {
    const target = catalog.entities.get(column.target ?? '')
    if (!target || value === null) return undefined
    const exists = linkExists({ access, isAdministrator }, target, int(Number(value)))
    return { exists, name: access.readScope(target) === 'none' ? 'record' : target.key }
  }

/** Whether a record of an id exists for the caller, who links to it. */
export const linkExists = (
  { access, isAdministrator }: Pick<WriteContext, 'access' | 'isAdministrator'>,
  target: Entity,
  id: Sql,
): Sql => {
  const scope = compileScope(access.readScope(target), target.hasOwner, 'r')
  const guard = mayLink(target, isAdministrator)
  const guarded = guard ? sql` AND ${guard}` : nothing
  return sql`EXISTS (
    SELECT FROM ${table(target)} r
    WHERE r.id = ${id} AND ${notDeleted('r')} AND ${scope}${guarded}
  )`
}

/** Records whose rollups are to be calculated, by rollup: their ids. */
export type Wholes = Map<Rollup, Set<number>>

/** What one of several roles of a writer grants. */
export type RoleGrant = {
  readonly rights: EntityRights
  readonly scopeOf: (right: RecordRight) => RecordScope
  /** What it says of its conditions that do not hold. */
  readonly messages: RightMessages
}

export type WriteContext = {
  readonly catalog: Catalog
  readonly entity: Entity
  readonly userId: number
  readonly author: RecordAuthor
  readonly access: Access
  /** The records that the permission covers. */
  readonly scope: RecordScope
  readonly references: ReferenceCheck
  /** Columns that the writer's role hides. */
  readonly isHidden: (column: Column) => boolean
  /** Columns that it sees and may not write; the form of an action writes them. */
  readonly isReadOnly: (column: Column) => boolean
  /** Of a writer with several roles; those that grant the write, once that is known. */
  readonly roles?: readonly RoleGrant[]
  /** Conditions of the role on the records that it may write; none of a writer with several, of which each has its own. */
  readonly conditions: RightConditions
  /** What the role says of those that do not hold. */
  readonly messages: RightMessages
  readonly isAdministrator: boolean
  readonly roleKey: string
  /** Whether the role may change every record of the entity. */
  readonly changesAll: boolean
  /** The zone of times without an offset. */
  readonly timeZone: string
  /** No notification follows, and no function of the project. */
  readonly isQuiet?: boolean
  /** Numbers of series that an import gives, in place of the next ones. */
  readonly givenNumbers?: Values
  /** Filled by writes of several records, whose rollups are calculated once, at the end. */
  readonly laterRollups?: Wholes
  /** Of writes of several records: those that are locked already. The others are refused, so they are not locked. */
  readonly lockedAhead?: ReadonlySet<number>
}

/** The context of a writer with several roles, of which these grant the write: they decide which columns it may write. */
export const grantedBy = (context: WriteContext, roles: readonly RoleGrant[]): WriteContext => ({
  ...context,
  roles,
  isReadOnly: (column) =>
    roles.every(({ rights }) => isReadOnly(rights, column) || isHidden(rights, column)),
})

/** The context of a writer with several roles, of which those that may create records count. */
export const creatingContext = (context: WriteContext): WriteContext => {
  const creating = context.roles?.filter(({ rights }) => rights.create)
  return creating ? grantedBy(context, creating) : context
}

/** Whether the values of a record decide who reads it, or what of it. */
export const isConditional = (scope: RecordScope): boolean =>
  typeof scope !== 'string' && Boolean(scope.meets || scope.any || scope.shown)

/** The record `t` as its writer may see it; an empty object if the role may create but not read it, or not read it any more. */
export const selectVisibleJson = ({ catalog, entity, access, timeZone }: WriteContext): Sql => {
  const json = raw(recordList({ catalog, entity, access, timeZone, includes: [] }).json)
  const scope = access.readScope(entity)
  if (typeof scope === 'string' || !isConditional(scope)) return json
  if (!scope.shown)
    return sql`CASE WHEN ${compileScope(scope, entity.hasOwner, 't')} THEN ${json} ELSE '{}' END`
  return sql`coalesce((
    SELECT ${json}
    FROM ${compileRows(entity, scope, 't', sql`(SELECT t.*)`)}
  ), '{}')`
}
