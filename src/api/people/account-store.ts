/** Queries about accounts: users with all that decides whether and how they sign in. */
import { type Queryable, queryRow, queryRows, queryValue } from '../../database/pool.ts'
import {
  allOf,
  anyOf,
  bigint,
  int,
  isoTime,
  join,
  notDeleted,
  ref,
  type Sql,
  sql,
  table,
  text,
} from '../../database/sql.ts'
import { occursIn } from '../../query/compile-select.ts'
import { patternOf } from '../../query/search/word-pattern.ts'
import { activeUser, userRoleKeys, usersWithRole } from '../../users/user-store.ts'

export const accountStatuses = ['active', 'invited', 'blocked', 'inactive'] as const
export type AccountStatus = (typeof accountStatuses)[number]

/** Whether a user `u` has an open invitation and was not seen since: codes by e-mail let people in without using it up. */
const isInvited = sql`EXISTS (
    SELECT FROM docket.one_time_code i LEFT JOIN docket.last_seen l ON l.user_id = i.user_id
    WHERE i.kind = 'invitation' AND i.user_id = u.id AND i.expires_at > now()
      AND coalesce(l.seen_at < i.created_at, true)
  )`

/** What stands in place of the e-mail once a user is anonymised. */
const isAnonymised = sql`(u.email = 'anonymised-' || u.id || '@example.invalid')`

/** How a user `u` can sign in, each as a condition. */
const ways = {
  password: sql`EXISTS (SELECT FROM docket.password p WHERE p.user_id = u.id)`,
  passkey: sql`EXISTS (SELECT FROM docket.passkey p WHERE p.user_id = u.id)`,
  // As long as the subject of their tokens is not known, their own address stands for it.
  issuer: sql`lower(u.identity_provider_user_id) NOT IN (u.email, u.username)`,
  key: sql`EXISTS (
    SELECT FROM docket.api_key k
    WHERE k.user_id = u.id AND k.revoked_at IS NULL AND coalesce(k.expires_at > now(), true)
  )`,
  // Where codes are offered: everybody has an e-mail.
  code: sql`u.is_active`,
} as const satisfies Readonly<Record<string, Sql>>

const hasSecondFactor = sql`EXISTS (SELECT FROM docket.second_factor f WHERE f.user_id = u.id)`

type AccountSignInWay = keyof typeof ways
/** Those that a user of the list can have. */
export const accountSignInWays = Object.keys(ways) as readonly AccountSignInWay[]

/** Of which users a list is; each status is that of every user in exactly one of these but `invited`. */
const statusConditions: Readonly<Record<AccountStatus, Sql>> = {
  active: activeUser('u'),
  invited: isInvited,
  blocked: sql`u.is_blocked`,
  inactive: sql`NOT u.is_active`,
}

export type AccountQuery = {
  readonly words: readonly string[]
  readonly status: AccountStatus | undefined
  /** Key of a role, as that of the user record or as a further one. */
  readonly role: string | undefined
}

type Page = {
  readonly limit: number
  readonly offset: number
  /** Whether people sign in by codes here. */
  readonly offersCodes: boolean
}

const hasRole = (key: string): Sql => sql`(
  r.key = ${text(key)} OR EXISTS (
    SELECT FROM ${table('user_role')} f
    JOIN ${table('security_role')} o ON o.id = f.security_role_id AND ${notDeleted('o')}
    WHERE f.user_id = u.id AND ${notDeleted('f')} AND o.key = ${text(key)}
  )
)`

const conditionOf = ({ words, status, role }: AccountQuery): Sql =>
  allOf([
    ...words.map((word) => {
      const pattern = patternOf(word)
      const names = ['full_name', 'email', 'username']
      return anyOf(names.map((name) => occursIn(ref(name, 'u'), pattern)))
    }),
    ...(status ? [statusConditions[status]] : []),
    ...(role === undefined ? [] : [hasRole(role)]),
  ])

type Named = { readonly id: number; readonly name: string }

type AccountRow = {
  readonly id: number
  readonly version: number
  readonly full_name: string
  readonly email: string
  readonly username: string
  readonly is_active: boolean
  readonly is_blocked: boolean
  /** Null when the first role was removed. */
  readonly role_key: string | null
  readonly groups: readonly Named[]
  readonly invitation: { readonly id: number; readonly expires_at: string } | null
  readonly is_invited: boolean
  readonly is_anonymised: boolean
  readonly ways: readonly AccountSignInWay[]
  readonly has_second_factor: boolean
  readonly last_seen_at: string | null
}

// More are named nowhere on one line.
const namedGroups = 20

const groupsOfUser = sql`
  SELECT coalesce(json_agg(json_build_object('id', g.id, 'name', g.name)), '[]')
  FROM (
    SELECT g.id, g.name
    FROM ${table('user_group_member')} m
    JOIN ${table('user_group')} g ON g.id = m.user_group_id AND ${notDeleted('g')}
    WHERE m.user_id = u.id AND ${notDeleted('m')}
    ORDER BY g.name, g.id LIMIT ${int(namedGroups)}
  ) g`

const invitationOfUser = sql`
  SELECT json_build_object('id', i.id, 'expires_at', ${isoTime('i.expires_at')})
  FROM docket.one_time_code i
  WHERE i.kind = 'invitation' AND i.user_id = u.id AND i.expires_at > now()`

const waysOfUser = (offersCodes: boolean): Sql => {
  const offered = Object.entries(ways).filter(([name]) => name !== 'code' || offersCodes)
  const named = offered.map(([name, has]) => sql`CASE WHEN ${has} THEN ${text(name)} END`)
  return sql`to_json(array_remove(ARRAY[${join(named, ', ')}], NULL))`
}

type JsonName = 'groups' | 'invitation' | 'ways'
// JSON comes from PostgreSQL as text.
type StoredRow = Omit<AccountRow, JsonName> & Readonly<Record<JsonName, string | null>>

/** One page of accounts, by name. */
export const selectAccounts = async (
  database: Queryable,
  query: AccountQuery,
  { limit, offset, offersCodes }: Page,
): Promise<readonly AccountRow[]> => {
  const rows = await queryRows<StoredRow>(
    database,
    sql`
      SELECT u.id, u._version AS version, u.full_name, u.email, u.username, u.is_active, u.is_blocked,
        ${userRoleKeys} AS role_key, (${groupsOfUser}) AS groups, (${invitationOfUser}) AS invitation,
        ${waysOfUser(offersCodes)} AS ways, ${hasSecondFactor} AS has_second_factor,
        ${isInvited} AS is_invited, ${isAnonymised} AS is_anonymised, ${isoTime('s.seen_at')} AS last_seen_at
      FROM ${usersWithRole}
      LEFT JOIN docket.last_seen s ON s.user_id = u.id
      WHERE ${conditionOf(query)}
      ORDER BY lower(u.full_name), u.id
      LIMIT ${bigint(limit)} OFFSET ${bigint(offset)}`,
  )
  return rows.map(({ groups, invitation, ways: found, ...row }) => ({
    ...row,
    groups: JSON.parse(groups ?? '[]'),
    invitation: invitation === null ? null : JSON.parse(invitation),
    ways: JSON.parse(found ?? '[]'),
  }))
}

/** How many accounts match, by status. */
export const countAccounts = async (
  database: Queryable,
  query: Omit<AccountQuery, 'status'>,
): Promise<Readonly<Record<AccountStatus | 'all', number>>> => {
  const counts = accountStatuses.map(
    (status) => sql`count(*) FILTER (WHERE ${statusConditions[status]})::integer AS ${ref(status)}`,
  )
  const row = await queryRow<Record<AccountStatus | 'all', number>>(
    database,
    sql`
      SELECT count(*)::integer AS all, ${join(counts, ', ')}
      FROM ${usersWithRole} WHERE ${conditionOf({ ...query, status: undefined })}`,
  )
  return row ?? { all: 0, active: 0, invited: 0, blocked: 0, inactive: 0 }
}

/** The name of a user that was not removed. */
export const findAccountName = (database: Queryable, id: number): Promise<string | undefined> =>
  queryValue<string>(
    database,
    sql`SELECT u.full_name FROM ${table('user')} u WHERE u.id = ${int(id)} AND ${notDeleted('u')}`,
  )

/** What a user is signed in with, or could be by a program. */
export const countCredentials = async (
  database: Queryable,
  userId: number,
): Promise<{ readonly sessions: number; readonly keys: number }> => {
  const row = await queryRow<{ sessions: number; keys: number }>(
    database,
    sql`
      SELECT (
          SELECT count(*)::integer FROM docket.session s
          WHERE (s.user_id = ${int(userId)} OR s.acting_user_id = ${int(userId)}) AND s.expires_at > now()
        ) AS sessions,
        (
          SELECT count(*)::integer FROM docket.api_key k
          WHERE k.user_id = ${int(userId)} AND k.revoked_at IS NULL
        ) AS keys`,
  )
  return row ?? { sessions: 0, keys: 0 }
}
