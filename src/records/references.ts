/** Checks whether linked records exist for the caller: not removed, and readable. */

import { bound, int, notDeleted, nothing, ref, type Sql, sql, table } from '../database/sql.ts'
import type { Catalog, Column } from '../definitions/catalog.ts'
import type { SqlValue } from '../definitions/values/check-value.ts'
import type { Access } from '../query/access.ts'
import { compileScope } from '../query/compile-select.ts'
import { mayLink } from './write/native-guards.ts'

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
  values: ReadonlyMap<Column, SqlValue>,
  references: ReferenceCheck,
  alias: string,
): readonly Sql[] =>
  [...values].flatMap(([column, value]) => {
    const reference = references(column, value)
    if (!reference) return []
    const same = sql`${ref(column.name, alias)} = ${bound(value, column.type.cast)}`
    return [sql`(${same} OR ${reference.exists})`]
  })

/** Creates the check for one caller. */
export const createReferenceCheck =
  ({ catalog, access, isAdministrator }: Options): ReferenceCheck =>
  (column, value) => {
    const target = catalog.entities.get(column.target ?? '')
    if (!target || value === null) return undefined
    const readScope = access.readScope(target)
    const scope = compileScope(readScope, target.hasOwner, 'r')
    const guard = mayLink(target, isAdministrator)
    const guarded = guard ? sql` AND ${guard}` : nothing
    const exists = sql`EXISTS (
      SELECT FROM ${table(target)} r
      WHERE r.id = ${int(Number(value))} AND ${notDeleted('r')} AND ${scope}${guarded}
    )`
    return { exists, name: readScope === 'none' ? 'record' : target.key }
  }
