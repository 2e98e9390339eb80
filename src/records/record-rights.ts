/** What a caller may do with one record, whatever its step: the same conditions as those of the writes. */
import type { Caller } from '../auth/caller.ts'
import type { Permissions, RecordRight } from '../auth/permissions.ts'
import { type Queryable, queryRow } from '../database/pool.ts'
import { allOf, int, join, notDeleted, ref, type Sql, sql, table } from '../database/sql.ts'
import type { Catalog, Entity } from '../definitions/catalog.ts'
import { administratorRole } from '../definitions/checks/check-role.ts'
import { isPartOfRecord } from '../definitions/native-entities.ts'
import { ApiError } from '../errors.ts'
import { compileScope } from '../query/compile-select.ts'
import { unknownRecord } from './read-records.ts'
import { checkRemoval, mayWrite } from './write/native-guards.ts'

/** The rights on one record that a console offers; each is a condition of its own. */
export const offeredRights = ['update', 'delete', 'takeOwnership', 'tasks'] as const

export type RightsOnRecord = Readonly<Record<(typeof offeredRights)[number], boolean>>

type Asked = {
  readonly catalog: Catalog
  readonly permissions: Permissions
  readonly caller: Caller
  readonly entity: Entity
  readonly id: number
}

/** The rights of the caller on a record, or an error 404 of one that may not be read. */
export const findRightsOnRecord = async (
  database: Queryable,
  asked: Asked,
): Promise<RightsOnRecord> => {
  const { entity, id } = asked
  const list = offeredRights.map((right) => sql`${conditionOf(asked, right)} AS ${ref(right)}`)
  const select = sql`
    SELECT ${join(list, ', ')}
    FROM ${table(entity)} t
    WHERE t.id = ${int(id)} AND ${notDeleted('t')} AND ${inScope(asked, 'read')}`
  const rights = await queryRow<RightsOnRecord>(database, select)
  if (!rights) throw unknownRecord(entity, id)
  return { ...rights, delete: rights.delete && (await isRemovable(database, asked)) }
}

const inScope = ({ permissions, caller, entity }: Asked, right: RecordRight): Sql =>
  compileScope(permissions.scopeOf(caller, right, entity), entity.hasOwner, 't')

const guardedBy = ({ catalog, permissions, entity, caller }: Asked) => ({
  ...{ catalog, entity },
  changesAll: permissions.scopeOf(caller, 'update', entity) === 'all',
  isAdministrator: caller.roleKey === administratorRole,
})

/**
 * Tasks are records of their own, so that the guard of this record does not matter for them. What is part of a record
 * is written below that one alone.
 */
const conditionOf = (asked: Asked, right: (typeof offeredRights)[number]): Sql => {
  if (isPartOfRecord(asked.entity)) return sql`false`
  if (right === 'tasks') return inScope(asked, right)
  if (right === 'takeOwnership' && !asked.entity.hasOwner) return sql`false`
  return allOf([inScope(asked, right), mayWrite(guardedBy(asked))])
}

const isRemovable = async (database: Queryable, asked: Asked): Promise<boolean> => {
  try {
    await checkRemoval(database, guardedBy(asked), asked.id)
    return true
  } catch (error) {
    if (error instanceof ApiError && error.code === 'caller.forbidden') return false
    throw error
  }
}
