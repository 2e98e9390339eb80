/** What the service keeps about a user besides records: by table, and what becomes of it when the user is anonymised. */
import { execute, type Queryable, queryCount } from '../database/pool.ts'
import { anyOf, identifier, int, raw, ref, type Sql, sql, texts } from '../database/sql.ts'
import { lowerCase } from '../lower-case.ts'

/** What is shown of a row `t`: its name, and its SQL. */
export type Shown = readonly [name: string, value: string | ((userId: number) => Sql)]

/** A table of the schema `docket` with rows of users. */
export type UserTable = {
  readonly name: string
  /** The columns that hold a user's id. */
  readonly by: readonly string[]
  /** `kept`: only ids refer to the user there. */
  readonly whenAnonymised: 'removed' | 'kept'
  /** What the person may know of a row, without secrets: its time first. */
  readonly shown: readonly [time: Shown, ...others: Shown[]]
  /** Whether only administrators get the rows: others may not read every record that they name. */
  readonly isForAdministrators?: true
}

/** Whether an audit event `t` came from the user's own browser: what others did about them came from that of the others. */
const isFromUser = (userId: number): Sql => sql`(
    coalesce(t.acting_user_id, t.user_id) = ${int(userId)}
    OR (t.kind = 'refuseSignIn' AND t.about_user_id = ${int(userId)})
  )`

const ifFromUser =
  (name: string) =>
  (userId: number): Sql =>
    sql`CASE WHEN ${isFromUser(userId)} THEN ${ref(name, 't')} END`

const column = (name: string): Shown => [name, `t.${name}`]

const columns = (time: string, ...others: readonly string[]): UserTable['shown'] => [
  column(time),
  ...others.map(column),
]

/** Of a table that does not keep when a row came. Its type lets PostgreSQL order rows by it. */
const noTime: Shown = ['at', 'NULL::timestamptz']

const ofUser = { by: ['user_id'], whenAnonymised: 'removed' } as const

/** Every table that names users. A new one is a row here. */
export const userTables: readonly UserTable[] = [
  {
    ...ofUser,
    name: 'session',
    by: ['user_id', 'acting_user_id'],
    shown: columns('created_at', 'last_used_at', 'expires_at', 'user_agent'),
  },
  {
    ...ofUser,
    name: 'api_key',
    shown: columns('created_at', 'name', 'scope', 'last_used_at', 'expires_at', 'revoked_at'),
  },
  { ...ofUser, name: 'password', shown: columns('set_at') },
  {
    ...ofUser,
    name: 'passkey',
    shown: columns('created_at', 'name', 'last_used_at'),
  },
  { ...ofUser, name: 'second_factor', shown: columns('set_at') },
  { ...ofUser, name: 'recovery_code', shown: [noTime] },
  { ...ofUser, name: 'sign_in_step', shown: columns('expires_at') },
  { ...ofUser, name: 'one_time_code', shown: columns('created_at', 'kind', 'expires_at') },
  { ...ofUser, name: 'known_browser', shown: columns('last_used_at') },
  { ...ofUser, name: 'last_seen', shown: columns('seen_at') },
  { ...ofUser, name: 'calendar_feed', shown: columns('created_at') },
  { ...ofUser, name: 'console_settings', shown: [noTime, column('settings')] },
  {
    ...ofUser,
    name: 'delivery_choice',
    shown: [noTime, ...columns('entity_key', 'operation', 'channel', 'pace')],
  },
  {
    ...ofUser,
    name: 'delivery_times',
    shown: [noTime, ...columns('daily_at', 'quiet_from', 'quiet_to')],
  },
  {
    ...ofUser,
    name: 'follower',
    shown: columns('at', 'entity_key', 'entity_id', 'reason', 'left_at'),
    isForAdministrators: true,
  },
  {
    ...ofUser,
    name: 'delivery',
    shown: [
      ...columns('created_at', 'sent_at', 'channel', 'status'),
      ['address', '(SELECT s.address FROM docket.sent_message s WHERE s.delivery_id = t.id)'],
      ['subject', '(SELECT s.subject FROM docket.sent_message s WHERE s.delivery_id = t.id)'],
    ],
  },
  { ...ofUser, name: 'export_run', shown: columns('begun_at', 'entity_key', 'format', 'rows') },
  {
    ...ofUser,
    name: 'import_run',
    by: ['user_id', 'acting_user_id'],
    shown: columns('created_at', 'entity_key', 'file_name', 'state', 'rows'),
  },
  { ...ofUser, name: 'upload', shown: columns('created_at', 'filename', 'mimetype', 'bytes') },
  { ...ofUser, name: 'idempotency_key', shown: columns('created_at', 'key') },
  {
    ...ofUser,
    name: 'notification',
    shown: [
      ...columns('timestamp', 'entity_key', 'entity_id', 'seen'),
      ['title', `t.content ->> 'title'`],
      ['message', `t.content ->> 'message'`],
    ],
  },
  { ...ofUser, name: 'snooze', shown: columns('until') },
  // After the notifications that it counts.
  { ...ofUser, name: 'notification_count', shown: columns('last_at', 'total', 'unseen') },
  {
    name: 'file',
    by: ['user_id'],
    whenAnonymised: 'kept',
    shown: columns('at', 'entity_key', 'entity_id', 'filename', 'mimetype', 'bytes'),
    isForAdministrators: true,
  },
  {
    name: 'history',
    by: ['user_id', 'acting_user_id'],
    whenAnonymised: 'kept',
    shown: columns('at', 'entity_key', 'entity_id', 'operation', 'comment'),
    isForAdministrators: true,
  },
  {
    name: 'audit',
    by: ['user_id', 'acting_user_id', 'about_user_id'],
    whenAnonymised: 'kept',
    shown: [
      ...columns('at', 'kind', 'entity_key', 'entity_id'),
      ['address', ifFromUser('address')],
      ['user_agent', ifFromUser('user_agent')],
    ],
  },
]

/** A table by its name. */
export const userTable = ({ name }: Pick<UserTable, 'name'>): Sql =>
  raw(`docket.${identifier(name)}`)

/** Whether a row under an alias is of a user. */
export const isOfUser = ({ by }: Pick<UserTable, 'by'>, alias: string, userId: number): Sql =>
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
    counts.set(one.name, await queryCount(database, select))
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
  await execute(
    database,
    sql`UPDATE docket.audit t SET address = NULL, user_agent = NULL WHERE ${isFromUser(userId)}`,
  )
}
