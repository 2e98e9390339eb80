/**
 * The records of a scope as a condition in SQL: the last of three steps, after the rights of roles (auth/resolved-roles.ts) and their
 * scopes (auth/permissions.ts).
 */
import {
  allOf,
  anyOf,
  bound,
  notDeleted,
  ref,
  type Sql,
  sql,
  table,
  text,
  texts,
} from '../database/sql.ts'
import type { RecordScope, SharedRecords } from './access.ts'

/** The condition for the records of a scope, for the table under `alias`. */
export const compileScope = (scope: RecordScope, hasOwner: boolean, alias: string): Sql => {
  if (scope === 'all') return sql`true`
  if (scope === 'none') return sql`false`
  const { ownedBy: user, shared, meets, any } = scope
  const whose = user ? [compileOwn(user, shared, hasOwner, alias)] : []
  const each = any ? [anyOf(any.map((one) => compileScope(one, hasOwner, alias)))] : []
  const [only, ...others] = [...whose, ...(meets ? [meets(alias)] : []), ...each]
  return only && others.length === 0 ? only : allOf([...(only ? [only] : []), ...others])
}

const compileOwn = (
  user: Sql,
  shared: SharedRecords | undefined,
  hasOwner: boolean,
  alias: string,
): Sql => {
  const created = sql`${ref('_created_by', alias)} = ${user}`
  const own = hasOwner ? sql`(${created} OR ${ref('_owned_by', alias)} = ${user})` : created
  return shared ? sql`(${own} OR ${compileShared(shared, alias)})` : own
}

const compileShared = ({ by, roles, sight }: SharedRecords, alias: string): Sql => {
  const column = (name: string) => ref(name, alias)
  const [only = '', ...others] = roles
  const [isOne, isOfRoles] =
    others.length === 0 ? [sql`=`, sql`= ${text(only)}`] : [sql`IN`, sql`= ANY (${texts(roles)})`]
  const ofRole = sql`${column(by.audience)} = 'role' AND ${column(by.role)} ${isOne} (
    SELECT r.id
    FROM ${table('security_role')} r
    WHERE r.key ${isOfRoles} AND ${notDeleted('r')}
  )`
  const paths = sql`docket.view_paths(${column(by.criteria)}, ${column(by.paths)})`
  return sql`(
    (${column(by.audience)} = 'all' OR (${ofRole}))
    AND docket.sees_paths(${paths}, ${column(by.entityKey)}, ${bound(sight, 'jsonb')})
  )`
}
