/** What a caller may know of the users who are notified: which rules are open to the caller, and whose names. */
import type { Caller } from '../auth/caller.ts'
import { type Queryable, queryRows } from '../database/pool.ts'
import { bigint, bound, int, sql, table } from '../database/sql.ts'
import { resolvePath } from '../definitions/association-path.ts'
import { type Entity, getEntity } from '../definitions/catalog.ts'
import type { NotificationRule } from '../definitions/notification-rules.ts'
import { objectOf, type Schemas } from '../http/openapi/operation.ts'
import { type RecordScope, shownIn } from '../query/access.ts'
import { compileScope } from '../query/compile-scope.ts'
import { parsedCondition } from '../query/conditions/decide-conditions.ts'
import { callerPathsIn, fieldsIn } from '../query/criteria/criteria.ts'
import { parseWhere } from '../query/criteria/parse-criteria.ts'
import type { DecideDeps } from './decide.ts'
import { followedBy } from './followers.ts'

/** The most users who are named; others are counted. */
export const maxNamed = 10
/** The most users who are counted. */
export const maxCounted = 1_000

/** Whether the caller may read everything that decides whom the rule notifies. */
export const isOpenTo = (
  { catalog, permissions }: DecideDeps,
  { caller, entity }: { readonly caller: Caller; readonly entity: Entity },
  { condition, before, fields: changed = [], field: due, recipient }: NotificationRule,
): boolean => {
  const access = permissions.accessOf(caller)
  const asked = [condition, before].flatMap((one) =>
    one === undefined ? [] : fieldsIn(parseWhere(one).condition),
  )
  const isRead = (start: Entity) => (path: string) => {
    const result = resolvePath(catalog, start, path, access.maySee, 'lists')
    // The caller has to be able to read every linked record, and not only their own.
    return (
      'path' in result &&
      result.path.steps.every(
        ({ target }) => access.readScope(getEntity(catalog, target ?? '')) === 'all',
      )
    )
  }
  const users = getEntity(catalog, 'user')
  const { fields, userFields } = comparedByAction(entity, recipient.canTake)
  const followed = recipient.followers ? followedBy(entity).paths : []
  const named = [...(recipient.userFields ?? []), ...followed]
  return (
    [...named, ...asked, ...changed, ...fields, ...(due ? [due] : [])].every(isRead(entity)) &&
    (userFields.length === 0 || access.readScope(users) === 'all') &&
    userFields.every(isRead(users))
  )
}

/** What the conditions of an action compare, of the record and of each user. */
const comparedByAction = (entity: Entity, key: string | undefined) => {
  const actions = (entity.definition.workflow?.steps ?? [])
    .flatMap((step) => step.actions ?? [])
    .filter((action) => action.key === key)
  const conditions = actions.flatMap(({ condition }) =>
    condition ? [parsedCondition(condition)] : [],
  )
  const links = actions.flatMap(({ notBy = [] }) =>
    notBy.filter((name) => entity.associations.has(name)),
  )
  return {
    fields: [...conditions.flatMap(fieldsIn), ...links],
    userFields: conditions.flatMap(callerPathsIn),
  }
}

/** The users whose names the caller may read; undefined if not even the caller's own. */
export const namingFor = (
  { catalog, permissions }: Pick<DecideDeps, 'catalog' | 'permissions'>,
  caller: Caller,
) => {
  const access = permissions.accessOf(caller)
  const users = getEntity(catalog, 'user')
  const name = users.columnsByName.get('full_name')
  if (name === undefined || access.hides(users, name)) return undefined
  const scope = access.maySee(users, name) ? shownIn(access.readScope(users), name) : 'none'
  return { callerId: caller.userId, scope }
}

type Naming = {
  readonly callerId: number
  readonly scope: RecordScope
  readonly limit: number
}

/** Those of the users whom the caller may read, by name; the caller comes first. */
export const namePeople = (
  database: Queryable,
  ids: readonly number[],
  { callerId, scope, limit }: Naming,
): Promise<{ readonly id: number; readonly full_name: string | null }[]> =>
  queryRows(
    database,
    sql`
SELECT u.id, u.full_name
FROM ${table('user')} u
WHERE u.id = ANY (${bound(ids, 'integer[]')})
  AND (u.id = ${int(callerId)} OR ${compileScope(scope, false, 'u')})
ORDER BY u.id <> ${int(callerId)}, u.full_name, u.id
LIMIT ${bigint(limit)}`,
  )

/** How answers describe such users: the members `people` and `hasMore`; `more` properties of each person. */
export const peopleProperties = <const M extends Schemas = Record<never, never>>(more?: M) => {
  const named = { id: { type: 'integer' }, full_name: { type: ['string', 'null'] } } as const
  const person = { ...named, ...more } as typeof named & M
  return {
    people: {
      type: 'array',
      maxItems: maxNamed,
      description: 'Those of them whom you may read, you first, then by name.',
      items: objectOf(person),
    },
    hasMore: {
      type: 'boolean',
      description: `Whether there are more than were counted; at most ${maxCounted} are.`,
    },
  } as const
}
