/** Resolves recipients: users by fields and groups, each once, with the reason for each who is skipped. */
import type { Readers } from '../../auth/permissions.ts'
import { type Queryable, queryRows } from '../../database/pool.ts'
import {
  bound,
  int,
  join,
  json,
  nothing,
  type Sql,
  sql,
  table,
  text,
  texts,
} from '../../database/sql.ts'
import type { NotificationRule } from '../../definitions/notification-matching.ts'
import type { Takers } from '../../workflow/workflow.ts'

/** The users that a rule names for one record. */
export type RecipientQuery = {
  readonly entityId: number
  /** Users that the fields of the record name. */
  readonly fieldUsers: readonly number[]
  readonly actorId: number
  /** The creator and the owner of the record, for permissions with `own`. */
  readonly ownUsers: readonly number[]
  /** Users who may read the record whatever their role: the assignee of a task. */
  readonly entitledUsers: readonly number[]
}

/** The same for all records of a rule. */
export type RecipientRules = {
  readonly recipient: NotificationRule['recipient']
  readonly readers: Readers
  /** Of a rule for those who can take an action. */
  readonly takers?: RecordTakers
}

/** Who can take an action of the records, and the table or the rows of these. */
export type RecordTakers = Takers & { readonly source: Sql }

/** The user and the role in the statement. */
export const taker = { user: sql`u.id`, role: sql`r.key` } as const

/** Why a named user is skipped. */
export type SkipReason =
  | 'removed'
  | 'inactive'
  | 'blocked'
  | 'actor'
  | 'may not read the record'
  | 'cannot take the action'

export type Candidate = {
  readonly id: number
  readonly reason: SkipReason | null
  /** Key of the user's role; null if it was removed. */
  readonly role: string | null
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
  const known = new Set(found.map(({ code }) => code))
  return { ids: found.map(({ id }) => id), missing: codes.filter((code) => !known.has(code)) }
}

/** Users whose notifications are stored together: enough to be fast, few enough that their counters are locked only briefly. */
export const batchSize = 5_000

/** The users of the fields of each record, in the order of their ids. */
export const resolveFieldUsers = async (
  database: Queryable,
  rules: RecipientRules,
  queries: readonly RecipientQuery[],
): Promise<Candidate[][]> => {
  if (queries.length === 0) return []
  const pages = queries.map((query) => ({ ...query, last: 0 }))
  return readCandidates(database, { rules, groupIds: [] }, pages)
}

/** Whether a rule names groups, which may have any number of users. */
export const hasGroups = ({ userGroups = [] }: NotificationRule['recipient']): boolean =>
  userGroups.length > 0

type Selection = {
  readonly rules: RecipientRules
  readonly groupIds: readonly number[]
}

/**
 * The users of the fields of one record or of the groups, each once, in the order of their ids, some
 * thousands at a time; memory does not grow.
 */
export async function* resolveRecipients(
  database: Queryable,
  { rules, groupIds, ...query }: RecipientQuery & Selection,
): AsyncGenerator<readonly Candidate[]> {
  let last = 0
  for (;;) {
    const [batch = []] = await readCandidates(database, { rules, groupIds }, [{ ...query, last }])
    if (batch.length > 0) yield batch
    if (batch.length < batchSize) return
    last = batch.at(-1)?.id ?? last
  }
}

/** A batch of the candidates for one record: those after `last`. */
type Page = RecipientQuery & { readonly last: number }

const readCandidates = async (
  database: Queryable,
  selection: Selection,
  pages: readonly Page[],
): Promise<Candidate[][]> => {
  const select = selectCandidates(selection, pages)
  const rows = await queryRows<Candidate & { ord: number }>(database, select)
  const batches: Candidate[][] = pages.map(() => [])
  for (const { ord, ...candidate } of rows) batches[ord]?.push(candidate)
  return batches
}

const selectCandidates = (selection: Selection, pages: readonly Page[]): Sql => sql`
WITH page AS MATERIALIZED (
  SELECT *
  FROM json_to_recordset(${json(pages.map((page, ord) => ({ ...page, ord })))}) AS p(
    ord integer, "entityId" integer, "fieldUsers" integer[], "actorId" integer, "ownUsers" integer[], "entitledUsers" integer[], last integer
  )
), named AS MATERIALIZED (
  SELECT p.*, n.user_id
  FROM page p
  CROSS JOIN LATERAL (${namedUsers(selection)}) n
)
SELECT n.ord, n.user_id AS id, CASE ${reasons(selection.rules)} END AS reason, r.key AS role
FROM named n
LEFT JOIN ${table('user')} u ON u.id = n.user_id
LEFT JOIN ${table('security_role')} r ON r.id = u.security_role_id AND NOT r._is_deleted${records(selection.rules)}
ORDER BY n.ord, n.user_id`

const records = ({ takers }: RecipientRules): Sql =>
  takers
    ? sql`
LEFT JOIN ${takers.source} t ON t.id = n."entityId"${takers.joins}`
    : nothing

/**
 * Ids after the last one, as many as a batch has. Each group is read in the order of its index from there
 * on: a batch costs the same in a group of 100 and of 100,000.
 */
const namedUsers = ({ groupIds }: Selection): Sql => {
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
      LIMIT ${int(batchSize)}
    ) m`
  return sql`${ofFields}${groupIds.length === 0 ? nothing : ofGroups}
    ORDER BY 1
    LIMIT ${int(batchSize)}`
}

/** The first reason that applies is returned. */
const reasons = ({ recipient, readers, takers }: RecipientRules): Sql => {
  const mayRead = sql`(
      r.key = ANY (${texts(readers.all)})
      OR (r.key = ANY (${texts(readers.own)}) AND u.id = ANY (n."ownUsers"))
      OR u.id = ANY (n."entitledUsers")
    )`
  const isActor = recipient.includeActor === false ? sql`u.id = n."actorId"` : sql`false`
  const all: readonly (readonly [Sql, SkipReason])[] = [
    [sql`u.id IS NULL OR u._is_deleted`, 'removed'],
    [sql`NOT u.is_active`, 'inactive'],
    [sql`u.is_blocked`, 'blocked'],
    [isActor, 'actor'],
    [
      recipient.skipRightsCheck ? sql`false` : sql`${mayRead} IS NOT TRUE`,
      'may not read the record',
    ],
    // Also of a rule that skips the check: actions are listed of records that one may read.
    [
      takers ? sql`(${mayRead} AND ${takers.canTake}) IS NOT TRUE` : sql`false`,
      'cannot take the action',
    ],
  ]
  const cases = all.map(([condition, reason]) => sql`WHEN ${condition} THEN ${text(reason)}`)
  return join(cases, ' ')
}
