/** Who is told: users by fields and groups, each once, and of each who is not, why. */

import type { Readers } from '../../auth/permissions.ts'
import { type Queryable, queryRows } from '../../database/pool.ts'
import { bound, join, raw, type Sql, sql, tableName, toStatement } from '../../database/sql.ts'
import type { NotificationEntry } from '../../definitions/notification-matching.ts'

/** Whom an entry tells of one record. */
export type RecipientQuery = {
  /** Users that the fields of the record name. */
  readonly fieldUsers: readonly number[]
  readonly actorId: number
  /** Who created and owns the record: the ones that `own` means. */
  readonly ownUsers: readonly number[]
  /** Who may read the record whatever their role: the assignee of a task. */
  readonly entitledUsers: readonly number[]
}

/** What is the same for all records of an entry. */
export type RecipientRules = {
  readonly recipient: NotificationEntry['recipient']
  readonly readers: Readers
}

/** Why a user who is named is not told. */
export type SkipReason =
  | 'removed'
  | 'inactive'
  | 'blocked'
  | 'actor'
  | 'may not read the record'
  | 'has no e-mail address'

export type Candidate = {
  readonly id: number
  readonly reason: SkipReason | null
  /** Key of the user's role; null where it was removed. */
  readonly role: string | null
}

export type Groups = {
  readonly ids: readonly number[]
  /** Codes that no group has. */
  readonly missing: readonly string[]
}

/** The groups that an entry names by their codes. */
export const findGroups = async (
  database: Queryable,
  { userGroups: codes = [] }: NotificationEntry['recipient'],
): Promise<Groups> => {
  if (codes.length === 0) return { ids: [], missing: [] }
  const select = sql`SELECT g.id, g.code FROM ${raw(tableName('user_group'))} g WHERE g.code = ANY (${bound(codes, 'text[]')}) AND NOT g._is_deleted`
  const found = await queryRows<{ id: number; code: string }>(database, toStatement(select))
  const known = new Set(found.map(({ code }) => code))
  return { ids: found.map(({ id }) => id), missing: codes.filter((code) => !known.has(code)) }
}

// Long enough to be fast, short enough that no counter is locked for more than a moment.
const maxConcurrent = 5_000

/** Everyone whom the fields of each record name, in the order of their ids. */
export const resolveFieldUsers = async (
  database: Queryable,
  rules: RecipientRules,
  wishes: readonly RecipientQuery[],
): Promise<Candidate[][]> => {
  if (wishes.length === 0) return []
  const asked = wishes.map((wish) => ({ ...wish, last: 0 }))
  return readCandidates(database, { rules, groupIds: [], batchSize: maxConcurrent }, asked)
}

/** Whether an entry tells groups, which have any number of people. */
export const hasGroups = ({ userGroups = [] }: NotificationEntry['recipient']): boolean =>
  userGroups.length > 0

type Resolving = RecipientQuery & {
  readonly rules: RecipientRules
  readonly groupIds: readonly number[]
}

/**
 * Everyone whom the fields of one record or the groups name, each once, in the order of their ids, some
 * thousands at a time; memory does not grow.
 */
export async function* resolveRecipients(
  database: Queryable,
  { rules, groupIds, ...wish }: Resolving,
): AsyncGenerator<readonly Candidate[]> {
  let last = 0
  for (;;) {
    const reading = { rules, groupIds, batchSize: maxConcurrent }
    const [batch = []] = await readCandidates(database, reading, [{ ...wish, last }])
    if (batch.length > 0) yield batch
    if (batch.length < maxConcurrent) return
    last = batch.at(-1)?.id ?? last
  }
}

/** A batch of the candidates at one record: those after `last`. */
type Asked = RecipientQuery & { readonly last: number }

type Reading = Pick<Resolving, 'rules' | 'groupIds'> & { readonly batchSize: number }

const readCandidates = async (
  database: Queryable,
  reading: Reading,
  asked: readonly Asked[],
): Promise<Candidate[][]> => {
  const select = candidates(reading, asked)
  const rows = await queryRows<Candidate & { ord: number }>(database, toStatement(select))
  const batches: Candidate[][] = asked.map(() => [])
  for (const { ord, ...candidate } of rows) batches[ord]?.push(candidate)
  return batches
}

const candidates = (reading: Reading, asked: readonly Asked[]): Sql => {
  const users = raw(tableName('user'))
  const roles = raw(tableName('security_role'))
  const json = JSON.stringify(asked.map((one, ord) => ({ ...one, ord })))
  return sql`WITH asked AS MATERIALIZED (SELECT * FROM json_to_recordset(${bound(json, 'json')}) AS a(ord integer, "fieldUsers" integer[], "actorId" integer, "ownUsers" integer[], "entitledUsers" integer[], last integer)), named AS MATERIALIZED (SELECT a.*, n.user_id FROM asked a CROSS JOIN LATERAL (${named(reading)}) n) SELECT n.ord, n.user_id AS id, CASE ${reasons(reading.rules)} END AS reason, r.key AS role FROM named n LEFT JOIN ${users} u ON u.id = n.user_id LEFT JOIN ${roles} r ON r.id = u.security_role_id AND NOT r._is_deleted ORDER BY n.ord, n.user_id`
}

/**
 * Ids after the last one, as many as a batch holds. Each group is read in the order of its index from
 * there on: a batch costs the same in a group of 100 and of 100,000, whatever users there are.
 */
const named = ({ groupIds, batchSize }: Reading): Sql => {
  const most = bound(batchSize, 'integer')
  const ofFields = raw(
    'SELECT DISTINCT f.user_id FROM unnest(a."fieldUsers") f(user_id) WHERE f.user_id > a.last',
  )
  const members = raw(tableName('user_group_member'))
  const ofGroup = sql`SELECT m.user_id FROM ${members} m WHERE m.user_group_id = g.id AND m.user_id > a.last AND NOT m._is_deleted ORDER BY m.user_id LIMIT ${most}`
  const ofGroups =
    groupIds.length === 0
      ? raw('')
      : sql` UNION SELECT m.user_id FROM unnest(${bound(groupIds, 'integer[]')}) g(id) CROSS JOIN LATERAL (${ofGroup}) m`
  return sql`${ofFields}${ofGroups} ORDER BY 1 LIMIT ${most}`
}

/** The first that holds is told. */
const reasons = ({ recipient, readers }: RecipientRules): Sql => {
  const mayRead = recipient.skipRightsCheck
    ? raw('true')
    : sql`(r.key = ANY (${bound(readers.all, 'text[]')}) OR (r.key = ANY (${bound(readers.own, 'text[]')}) AND u.id = ANY (n."ownUsers")) OR u.id = ANY (n."entitledUsers"))`
  const isActor = raw(recipient.includeActor === false ? 'u.id = n."actorId"' : 'false')
  const all: readonly (readonly [Sql, SkipReason])[] = [
    [raw('u.id IS NULL OR u._is_deleted'), 'removed'],
    [raw('NOT u.is_active'), 'inactive'],
    [raw('u.is_blocked'), 'blocked'],
    [isActor, 'actor'],
    [sql`(${mayRead}) IS NOT TRUE`, 'may not read the record'],
  ]
  const cases = all.map(
    ([condition, reason]) => sql`WHEN ${condition} THEN ${bound(reason, 'text')}`,
  )
  return join(cases, ' ')
}
