/** What the service keeps about a user besides records: by table, and what becomes of it when the user is anonymised. */
import { execute, type Queryable, queryRow } from '../database/pool.ts'
import { anyOf, identifier, int, raw, ref, type Sql, sql, texts } from '../database/sql.ts'
import { lowerCase } from '../lower-case.ts'

/** A table of the schema `docket` with rows of users. */
export type UserTable = {
  readonly name: string
  /** The columns that hold a user's id. */
  readonly by: readonly string[]
  /** `kept`: ids alone tell of the user there. */
  readonly whenAnonymised: 'removed' | 'kept'
}

/** Every table that names users. A new one is a row here. */
export const userTables: readonly UserTable[] = [
  { name: 'session', by: ['user_id', 'acting_user_id'], whenAnonymised: 'removed' },
  { name: 'api_key', by: ['user_id'], whenAnonymised: 'removed' },
  { name: 'password', by: ['user_id'], whenAnonymised: 'removed' },
  { name: 'passkey', by: ['user_id'], whenAnonymised: 'removed' },
  { name: 'second_factor', by: ['user_id'], whenAnonymised: 'removed' },
  { name: 'recovery_code', by: ['user_id'], whenAnonymised: 'removed' },
  { name: 'sign_in_step', by: ['user_id'], whenAnonymised: 'removed' },
  { name: 'invitation', by: ['user_id'], whenAnonymised: 'removed' },
  { name: 'known_browser', by: ['user_id'], whenAnonymised: 'removed' },
  { name: 'login_code', by: ['user_id'], whenAnonymised: 'removed' },
  { name: 'calendar_feed', by: ['user_id'], whenAnonymised: 'removed' },
  { name: 'console_settings', by: ['user_id'], whenAnonymised: 'removed' },
  { name: 'delivery_preference', by: ['user_id'], whenAnonymised: 'removed' },
  { name: 'delivery', by: ['user_id'], whenAnonymised: 'removed' },
  { name: 'export_run', by: ['user_id'], whenAnonymised: 'removed' },
  { name: 'idempotency_key', by: ['user_id'], whenAnonymised: 'removed' },
  { name: 'notification', by: ['user_id'], whenAnonymised: 'removed' },
  // After the notifications that it counts.
  { name: 'notification_count', by: ['user_id'], whenAnonymised: 'removed' },
  { name: 'history', by: ['user_id', 'acting_user_id'], whenAnonymised: 'kept' },
  { name: 'audit', by: ['user_id', 'acting_user_id', 'about_user_id'], whenAnonymised: 'kept' },
]

/** A table by its name. */
const userTable = ({ name }: Pick<UserTable, 'name'>): Sql => raw(`docket.${identifier(name)}`)

/** Whether a row under an alias is of a user. */
const isOfUser = ({ by }: Pick<UserTable, 'by'>, alias: string, userId: number): Sql =>
  anyOf(by.map((column) => sql`${ref(column, alias)} = ${int(userId)}`))

/** Removes what goes when a user is anonymised: how they sign in, and what was kept for them. */
export const removeUserRows = async (database: Queryable, userId: number): Promise<void> => {
  // What stores or counts notifications of a user locks their counter first.
  await execute(
    database,
    sql`SELECT FROM docket.notification_count c WHERE c.user_id = ${int(userId)} FOR UPDATE`,
  )
  for (const one of userTables)
    if (one.whenAnonymised === 'removed')
      await execute(
        database,
        sql`DELETE FROM ${userTable(one)} t WHERE ${isOfUser(one, 't', userId)}`,
      )
}

/** By table, the rows that would go. */
export const countUserRows = async (
  database: Queryable,
  userId: number,
): Promise<ReadonlyMap<string, number>> => {
  const counts = new Map<string, number>()
  for (const one of userTables) {
    if (one.whenAnonymised !== 'removed' || one.name === 'notification_count') continue
    const select = sql`
      SELECT count(*) AS rows
      FROM ${userTable(one)} t
      WHERE ${isOfUser(one, 't', userId)}`
    counts.set(one.name, (await queryRow<{ rows: number }>(database, select))?.rows ?? 0)
  }
  return counts
}

/** Removes sign-ins that were refused to the person at the issuer, by their subjects and addresses. */
export const removeRefusedSignIns = async (
  database: Queryable,
  personal: readonly string[],
): Promise<void> => {
  const values = texts([...new Set(personal.flatMap((one) => [one, lowerCase(one)]))])
  await execute(
    database,
    sql`DELETE FROM docket.refused_sign_in f WHERE f.subject = ANY (${values}) OR f.email = ANY (${values})`,
  )
}

/** Audit events stay, without the addresses and browsers from which the user came. */
export const emptyAudit = async (database: Queryable, userId: number): Promise<void> => {
  const one = { by: ['user_id', 'acting_user_id', 'about_user_id'] }
  await execute(
    database,
    sql`
      UPDATE docket.audit t SET address = NULL, user_agent = NULL
      WHERE ${isOfUser(one, 't', userId)}`,
  )
}
