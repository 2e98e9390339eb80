/** Reads the users whom a rule names: by fields and groups, each once, with the reason for each who gets nothing. */
import type { ReachRow } from '../auth/readable-values.ts'
import { type Queryable, queryRows } from '../database/pool.ts'
import {
  bound,
  int,
  join,
  json,
  nothing,
  raw,
  ref,
  type Sql,
  sql,
  table,
  text,
  texts,
} from '../database/sql.ts'
import type { NotificationRule } from '../definitions/notification-rules.ts'
import {
  type EventReach,
  type EventReachPlan,
  eventReachReader,
  joinReached,
  reachesEventRecord,
  selectEventReach,
} from '../outbox/events/notification-event.ts'
import { heldRolesOf, holder } from '../users/user-store.ts'
import type { Takers } from '../workflow/takers.ts'
import { type FollowedBy, followersAfterLast } from './followers.ts'

/** The users that a rule names for one record. */
export type RecipientQuery = {
  readonly entityId: number
  /** Users that the fields of the record name. */
  readonly fieldUsers: readonly number[]
  /** Users at the paths of those who follow it. */
  readonly followedUsers: readonly number[]
  readonly actorId: number | null
  /** When it happened, ISO 8601: who follows the record later is not notified of it. */
  readonly at: string
  /** Whether it is about an internal comment. */
  readonly isInternal: boolean
  /** Users whom an earlier rule has notified of the same. */
  readonly told: readonly number[]
}

/** The name of the rows as they are now, where the source has them as a change left them. */
export const presentAlias = 'present'

/** The same for all records of a rule. */
export type RecipientRules = {
  readonly recipient: NotificationRule['recipient']
  /** The table of the records, or rows that stand for it; they are `t` in what follows. */
  readonly source: Sql
  /** Whether the `holder` of `heldRolesOf` may read the record. */
  readonly mayRead: Sql
  /** The rows as they are now, and whether the holder may read them too. */
  readonly present?: { readonly rows: Sql; readonly mayRead: Sql }
  readonly reach: EventReachPlan
  /** Of a rule for followers. */
  readonly followed?: FollowedBy
  /** Of a rule about comments: whether the `holder` sees internal ones. */
  readonly seesInternal?: Sql
  /** Of a rule for those who can take an action. */
  readonly takers?: Takers
}

/** Why a named user is skipped. */
export type SkipReason =
  | 'removed'
  | 'inactive'
  | 'blocked'
  | 'actor'
  | 'may not read the record'
  | 'cannot take the action'
  | 'may not read internal comments'
  | 'is notified by another rule'

export type NamedUser = {
  readonly id: number
  readonly reason: SkipReason | null
  /** Keys of the user's roles; null if the first one was removed. */
  readonly role: string | null
  readonly reach: EventReach
}

export type Groups = {
  readonly ids: readonly number[]
  /** Codes without a group. */
  readonly missing: readonly string[]
}

/** The groups that a rule names by their codes. */
export const findGroups = async (
  database: Queryable,
  { userGroups: codes = [] }: NotificationRule['recipient'],
): Promise<Groups> => {
  if (codes.length === 0) return { ids: [], missing: [] }
  const found = await queryRows<{ id: number; code: string }>(
    database,
    sql`
SELECT g.id, g.code
FROM ${table('user_group')} g
WHERE g.code = ANY (${texts(codes)}) AND NOT g._is_deleted`,
  )
  const foundCodes = new Set(found.map(({ code }) => code))
  return { ids: found.map(({ id }) => id), missing: codes.filter((code) => !foundCodes.has(code)) }
}

/** Users who are read and notified together: enough to be fast, few enough that their counters are locked only briefly. */
export const pageSize = 5_000

type Selection = {
  readonly rules: RecipientRules
  readonly groupIds: readonly number[]
}

/**
 * The users of the fields of records and of the groups, each once for a record, in the order of their ids: pages of
 * some thousands, with a list for each record, so that memory does not grow. A record whose users have ended has an empty list.
 */
export async function* readNamedUsers(
  database: Queryable,
  selection: Selection,
  queries: readonly RecipientQuery[],
): AsyncGenerator<readonly (readonly NamedUser[])[]> {
  const reachOf = eventReachReader(selection.rules.reach)
  let open: Page[] = queries.map((query, ord) => ({ ...query, ord, last: 0 }))
  while (open.length > 0) {
    const most = Math.ceil(pageSize / open.length)
    const rows = await queryRows<Omit<NamedUser, 'reach'> & { readonly ord: number } & ReachRow>(
      database,
      selectNamedUsers(selection, open, most),
    )
    const lists: NamedUser[][] = queries.map(() => [])
    for (const row of rows) {
      const { ord, id, reason, role } = row
      lists[ord]?.push({ id, reason, role, reach: reachOf(row) })
    }
    if (rows.length > 0) yield lists
    open = open.flatMap((page) => {
      const users = lists[page.ord] ?? []
      return users.length < most ? [] : [{ ...page, last: users.at(-1)?.id ?? page.last }]
    })
  }
}

/** The users of one record after the id `last`; `ord` is the place of the record. */
type Page = RecipientQuery & { readonly ord: number; readonly last: number }

/**
 * Records are read for each page and not for each user, and PostgreSQL is told how many pages there are: it would expect so many
 * users that it reads the whole table of the records, and of the users.
 */
const selectNamedUsers = (selection: Selection, pages: readonly Page[], most: number): Sql => sql`
WITH page AS MATERIALIZED (
  SELECT *
  FROM json_to_recordset(${json(pages)}) AS p(
    ord integer, "entityId" integer, "fieldUsers" integer[], "followedUsers" integer[],
    "actorId" integer, at timestamptz, "isInternal" boolean, told integer[], last integer
  )
  LIMIT ${int(pages.length)}
), named AS MATERIALIZED (
  SELECT p.ord, n.user_id
  FROM page p
  CROSS JOIN LATERAL (${usersAfterLast(selection, most)}) n
)
SELECT asked.*, ${reasonOf(selection.rules)} AS reason
FROM (SELECT ${join(askedOf(selection.rules), ', ')}
FROM page p
LEFT JOIN ${selection.rules.source} t ON t.id = p."entityId"${joinsOf(selection.rules)}
JOIN named n ON n.ord = p.ord
LEFT JOIN ${table('user')} u ON u.id = n.user_id
LEFT JOIN ${table('security_role')} r ON r.id = u.security_role_id AND NOT r._is_deleted
${heldRolesOf(sql`SELECT user_id FROM named`)}${selection.rules.takers?.joins ?? nothing}
OFFSET 0) asked
ORDER BY asked.ord, asked.id`

const joinsOf = ({ present, reach }: RecipientRules): Sql => {
  const rows = present
    ? sql` LEFT JOIN ${present.rows} ${raw(presentAlias)} ON ${ref('id', presentAlias)} = t.id`
    : nothing
  return sql`${rows}${joinReached(reach, sql`p."actorId"`)}`
}

/**
 * Ids after the last one, as many as a page may have. Each group is read in the order of its index from there
 * on: a page costs the same in a group of 100 and of 100,000.
 */
const usersAfterLast = ({ groupIds, rules }: Selection, most: number): Sql => {
  const { followed } = rules
  const ofFields = sql`
    SELECT DISTINCT f.user_id
    FROM unnest(p."fieldUsers") f(user_id)
    WHERE f.user_id > p.last`
  const ofGroups = sql`
    UNION
    SELECT m.user_id
    FROM unnest(${bound(groupIds, 'integer[]')}) g(id)
    CROSS JOIN LATERAL (
      SELECT m.user_id
      FROM ${table('user_group_member')} m
      WHERE m.user_group_id = g.id AND m.user_id > p.last AND NOT m._is_deleted
      ORDER BY m.user_id
      LIMIT ${int(most)}
    ) m`
  return sql`${ofFields}${groupIds.length === 0 ? nothing : ofGroups}${followed ? followersAfterLast(followed, most) : nothing}
    ORDER BY 1
    LIMIT ${int(most)}`
}

/**
 * What is asked of each user, once: OFFSET keeps PostgreSQL from asking again wherever it is named. `refused` is why they
 * get nothing, whatever they may read.
 */
const askedOf = ({
  recipient,
  mayRead,
  present,
  reach,
  takers,
  seesInternal,
}: RecipientRules): readonly Sql[] => {
  const isActor = recipient.includeActor === false ? sql`u.id = p."actorId"` : sql`false`
  const refused = caseOf([
    [sql`u.id IS NULL OR u._is_deleted`, 'removed'],
    [sql`NOT u.is_active`, 'inactive'],
    [sql`u.is_blocked`, 'blocked'],
    [isActor, 'actor'],
    [sql`u.id = ANY (p.told)`, 'is notified by another rule'],
  ])
  return [
    sql`n.ord, n.user_id AS id, held.keys AS role, ${refused} AS refused`,
    ...selectEventReach(reach, holder),
    ...(isReached(reach) ? [] : [sql`${mayRead} AS "mayRead"`]),
    ...(present ? [sql`${present.mayRead} AS "mayReadNow"`] : []),
    ...(takers ? [sql`${takers.canTake} AS "canTake"`] : []),
    ...(seesInternal ? [sql`(NOT p."isInternal" OR ${seesInternal}) AS "seesInternal"`] : []),
  ]
}

const isReached = (reach: EventReachPlan): Sql | undefined => reachesEventRecord(reach, 'asked')

/** The first reason that applies. */
const reasonOf = ({ recipient, present, reach, takers, seesInternal }: RecipientRules): Sql => {
  const mayReadIt = isReached(reach) ?? sql`asked."mayRead"`
  const mayRead = present ? sql`(${mayReadIt} AND asked."mayReadNow")` : mayReadIt
  const reason = caseOf([
    [
      recipient.skipRightsCheck ? sql`false` : sql`${mayRead} IS NOT TRUE`,
      'may not read the record',
    ],
    // Also of a rule that skips the check: actions are listed of records that one may read.
    [
      takers ? sql`(${mayRead} AND asked."canTake") IS NOT TRUE` : sql`false`,
      'cannot take the action',
    ],
    [
      seesInternal ? sql`asked."seesInternal" IS NOT TRUE` : sql`false`,
      'may not read internal comments',
    ],
  ])
  return sql`coalesce(asked.refused, ${reason})`
}

const caseOf = (reasons: readonly (readonly [Sql, SkipReason])[]): Sql => {
  const cases = reasons.map(([condition, reason]) => sql`WHEN ${condition} THEN ${text(reason)}`)
  return sql`CASE ${join(cases, ' ')} END`
}

/** Codes of groups by their members, of these groups and users. */
export const findMemberships = async (
  database: Queryable,
  groupIds: readonly number[],
  userIds: readonly number[],
): Promise<ReadonlyMap<number, readonly string[]>> => {
  if (groupIds.length === 0) return new Map()
  const rows = await queryRows<{ user_id: number; code: string }>(
    database,
    sql`
SELECT DISTINCT m.user_id, g.code
FROM ${table('user_group_member')} m
JOIN ${table('user_group')} g ON g.id = m.user_group_id
WHERE g.id = ANY (${bound(groupIds, 'integer[]')})
  AND m.user_id = ANY (${bound(userIds, 'integer[]')}) AND NOT m._is_deleted
ORDER BY 1, 2`,
  )
  const byUser = Map.groupBy(rows, ({ user_id: id }) => id)
  return new Map([...byUser].map(([id, found]) => [id, found.map(({ code }) => code)]))
}

/** Why a user who is notified gets no e-mail. */
export type NoEmail = 'has no e-mail address' | 'has turned such e-mails off'

/** The users who get no e-mail about an operation on records of an entity. */
export const findWithoutEmail = async (
  database: Queryable,
  { entity, operation }: { readonly entity: string; readonly operation: string },
  userIds: readonly number[],
): Promise<ReadonlyMap<number, NoEmail>> => {
  const rows = await queryRows<{ id: number; reason: NoEmail }>(
    database,
    sql`
SELECT u.id, CASE WHEN coalesce(u.email, '') = '' THEN 'has no e-mail address'
  ELSE 'has turned such e-mails off' END AS reason
FROM ${table('user')} u
LEFT JOIN docket.delivery_choice p ON p.user_id = u.id AND p.channel = 'email' AND p.pace = 'never'
  AND p.entity_key = ${text(entity)} AND p.operation = ${text(operation)}
WHERE u.id = ANY (${bound(userIds, 'integer[]')})
  AND (coalesce(u.email, '') = '' OR p.user_id IS NOT NULL)`,
  )
  return new Map(rows.map(({ id, reason }) => [id, reason]))
}
