/** Who can take an action, as SQL over any user and record. */
import type { Permissions } from '../auth/permissions.ts'
import { type PersonSql, readableBy } from '../auth/readable-records.ts'
import { type Queryable, queryRow } from '../database/pool.ts'
import { allOf, anyOf, int, type Sql, sql, table, text, texts } from '../database/sql.ts'
import { actionKinds } from '../definitions/action-kinds.ts'
import type { Catalog, Entity } from '../definitions/catalog.ts'
import { administratorRole } from '../definitions/checks/check-role.ts'
import { lockingLists, locksOfList } from '../definitions/step-locks.ts'
import { isLockedThrough } from '../records/write/locks.ts'
import { activeUser, otherThanAdministrators } from '../users/user-store.ts'
import { decideActions } from './demands.ts'
import { type Action, getWorkflow, mayTake, openActions } from './workflow.ts'

type Deps = {
  readonly catalog: Catalog
  readonly permissions: Permissions
  readonly timeZone: string
}

export type Takers = {
  /** What follows the table or rows of the entity as `t`. */
  readonly joins: Sql
  /** Whether the user can take the action of the record `t`: by a role that reads it. */
  readonly canTake: Sql
}

/**
 * Several steps may have the action. One that leads back has no step to lead to without the history of the record:
 * `docket check` refuses it here.
 */
export const compileTakers = (
  deps: Deps,
  entity: Entity,
  actionKey: string,
  taker: PersonSql,
): Takers => {
  const { steps } = getWorkflow(entity)
  const found = steps.flatMap(({ key: step, actions = [] }) =>
    actions.filter(({ key }) => key === actionKey).map((action) => ({ step, action })),
  )
  const actions = found.map(({ action }) => action)
  const { joins, byKey } = decideActions(deps, [taker.user], entity, actions)
  const ways = found.map(({ step, action }) =>
    allOf([
      sql`t._step = ${text(step)}`,
      readableBy(deps, entity, 't', taker, rolesFor(deps, entity, action)),
      byKey.get(action) ?? sql`true`,
    ]),
  )
  // One that another record's step locks is open to nobody but the roles that the step excepts.
  const locks = lockingLists(deps.catalog, entity).flatMap((list) =>
    locksOfList(list).map(({ key, except }) => {
      const isLocked = isLockedThrough(list, [key], 't')
      if (except.length === 0) return isLocked
      return sql`(${isLocked} AND NOT ${taker.hasRole(texts(except))})`
    }),
  )
  const canTake = anyOf(ways)
  return {
    joins,
    canTake: locks.length === 0 ? canTake : sql`(${canTake} AND NOT ${anyOf(locks)})`,
  }
}

/**
 * Whether an active user can take one of the actions that decide in the step of a record, by another role than that of the
 * administrators; undefined where no other role has such an action, or there is none.
 */
export const findDeciders = async (
  database: Queryable,
  deps: Deps,
  { entity, id, step }: { readonly entity: Entity; readonly id: number; readonly step: string },
): Promise<boolean | undefined> => {
  const deciding = openActions(getWorkflow(entity), step).filter(
    (action) =>
      actionKinds[action.kind].isDecision &&
      rolesFor(deps, entity, action).some((key) => key !== administratorRole),
  )
  if (deciding.length === 0) return undefined
  for (const { key } of deciding) {
    const { joins, canTake } = compileTakers(deps, entity, key, otherThanAdministrators)
    const select = sql`
      SELECT EXISTS (
        SELECT FROM ${table(entity)} t
        CROSS JOIN ${table('user')} u${joins}
        WHERE t.id = ${int(id)} AND ${activeUser('u')} AND ${canTake}
      ) AS found`
    if ((await queryRow<{ found: boolean }>(database, select))?.found) return true
  }
  return false
}

const rolesFor = ({ catalog, permissions }: Deps, entity: Entity, action: Action) =>
  [...new Set([administratorRole, ...catalog.roles.keys()])].filter((roleKey) =>
    mayTake(entity, permissions.rightsOf({ userId: 0, roleKey }, entity), action),
  )
