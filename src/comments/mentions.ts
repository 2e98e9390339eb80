/** Users who are mentioned in a text, as `@[7]`: only those who may read what it is said about. */
import { grantedBy, readableBy } from '../auth/readable-records.ts'
import { type Queryable, queryRows } from '../database/pool.ts'
import { ints, notDeleted, type Sql, sql, table } from '../database/sql.ts'
import { getEntity } from '../definitions/catalog.ts'
import { compileScope } from '../query/compile-scope.ts'
import { mayBeNamed } from '../records/history.ts'
import { pickablePeople } from '../records/pickable-people.ts'
import type { FieldIssue } from '../records/write/check-values.ts'
import { activeUser, heldRolesOf, holder } from '../users/user-store.ts'
import type { CommentContext } from './comment-deps.ts'

const mention = /@\[([1-9]\d{0,9})\]/g

/** No user has a larger id. */
export const largestId = 2_147_483_647
const maxMentions = 50

/** The ids of the users whom a text mentions, each once. Most texts mention none, which costs no search by pattern. */
export const mentionsIn = (text: string): readonly number[] =>
  text.includes('@[') ? [...new Set([...text.matchAll(mention)].map(([, id]) => Number(id)))] : []

/** What is wrong with the number of mentions. */
export const tooManyMentions = (ids: readonly number[]): readonly FieldIssue[] =>
  ids.length > maxMentions
    ? [
        {
          path: 'text',
          message: `mentions ${ids.length} users, at most ${maxMentions} are allowed`,
          rule: 'refused',
        },
      ]
    : []

type Asked = { readonly ids: readonly number[]; readonly isInternal: boolean }

/** Selects those of the users who may be mentioned in a comment on the record `r` of a row source. */
export const selectMentionable = (
  { deps, caller, entity }: CommentContext,
  record: Sql,
  { ids, isInternal }: Asked,
): Sql => {
  const people = getEntity(deps.catalog, 'user')
  const picked = compileScope(pickablePeople(deps, caller), people.hasOwner, 'u')
  const known = ints(ids.filter((id) => id <= largestId))
  const reads = readableBy(deps, entity, 't', holder)
  const internal = isInternal ? grantedBy(deps, 'internalComments', entity, 't', holder) : sql`true`
  return sql`
    SELECT u.id
    FROM ${record} t
    JOIN ${table('user')} u ON u.id = ANY (${known})
    LEFT JOIN ${table('security_role')} r ON r.id = u.security_role_id AND ${notDeleted('r')}
    ${heldRolesOf(sql`SELECT unnest(${known})`)}
    WHERE ${activeUser('u')} AND ${picked} AND ${reads} AND ${internal}`
}

/** An issue for each user who may not be mentioned: of all the same, so that none tells whether the user exists. */
export const mentionIssues = (
  ids: readonly number[],
  found: ReadonlySet<number>,
): readonly FieldIssue[] =>
  ids
    .filter((id) => !found.has(id))
    .map((id) => ({
      path: 'text',
      message: `mentions @[${id}], who is not an active user that you may see and that may read this`,
      rule: 'refused' as const,
    }))

/** The names of users as a reader may know them. */
export const namesOf = async (
  database: Queryable,
  { deps, caller }: Pick<CommentContext, 'deps' | 'caller'>,
  ids: readonly number[],
): Promise<ReadonlyMap<number, string | null>> => {
  const known = ids.filter((id) => id <= largestId)
  if (known.length === 0) return new Map()
  const people = getEntity(deps.catalog, 'user')
  const reader = { people, access: deps.permissions.accessOf(caller) }
  const rows = await queryRows<{ readonly id: number; readonly full_name: string | null }>(
    database,
    sql`
    SELECT u.id, CASE WHEN ${mayBeNamed(reader, 'u')} THEN u.full_name END AS full_name
    FROM ${table('user')} u
    WHERE u.id = ANY (${ints(known)})`,
  )
  return new Map(rows.map(({ id, full_name: name }) => [id, name]))
}
