/** Queries about passkeys: of each the service has a public key, with which nobody can sign in. */
import { execute, type Queryable, queryRow, queryRows, queryValue } from '../../database/pool.ts'
import { bigint, int, isoTime, sql, table, text, texts } from '../../database/sql.ts'
import { activeUser } from '../../users/user-store.ts'

/** A passkey as its owner sees it; times are ISO 8601. */
export type Passkey = {
  readonly id: number
  readonly name: string
  readonly created_at: string
  readonly last_used_at: string | null
}

/** What a browser has made. */
export type NewPasskey = {
  /** In base64url. */
  readonly credentialId: string
  readonly publicKey: Uint8Array
  readonly counter: number
  readonly transports: readonly string[]
}

export type KnownPasskey = {
  readonly id: number
  readonly userId: number
  readonly credentialId: string
  readonly publicKey: Uint8Array<ArrayBuffer>
}

/** The passkey with this id, if its user may sign in. */
export const findPasskey = async (
  database: Queryable,
  credentialId: string,
): Promise<KnownPasskey | undefined> => {
  const row = await queryRow<{ id: number; user_id: number; public_key: string }>(
    database,
    sql`
      SELECT k.id, k.user_id, encode(k.public_key, 'hex') AS public_key
      FROM docket.passkey k JOIN ${table('user')} u ON u.id = k.user_id AND ${activeUser('u')}
      WHERE k.credential_id = ${text(credentialId)}`,
  )
  if (!row) return undefined
  const publicKey = Uint8Array.from(Buffer.from(row.public_key, 'hex'))
  return { id: row.id, userId: row.user_id, credentialId, publicKey }
}

const passkeyColumns = sql`
  k.id, k.name, ${isoTime('k.created_at')} AS created_at, ${isoTime('k.last_used_at')} AS last_used_at`

/** The passkeys of a user, the newest first. */
export const selectPasskeys = (database: Queryable, userId: number) =>
  queryRows<Passkey>(
    database,
    sql`
      SELECT ${passkeyColumns} FROM docket.passkey k
      WHERE k.user_id = ${int(userId)} ORDER BY k.id DESC`,
  )

/** The ids of the passkeys of a user as browsers know them, with how their devices are reached. */
export const selectKnownCredentials = (database: Queryable, userId: number) =>
  queryRows<{ readonly credential_id: string; readonly transports: readonly string[] }>(
    database,
    sql`SELECT credential_id, transports FROM docket.passkey WHERE user_id = ${int(userId)} ORDER BY id`,
  )

const maxPasskeys = 20

/** Stores a passkey of a user; undefined if it is known, or if the user has as many as they may have. */
export const insertPasskey = (
  database: Queryable,
  { userId, name, ...made }: NewPasskey & { readonly userId: number; readonly name: string },
): Promise<Passkey | undefined> =>
  queryRow<Passkey>(
    database,
    sql`
      INSERT INTO docket.passkey AS k (user_id, credential_id, public_key, counter, transports, name)
      SELECT ${int(userId)}, ${text(made.credentialId)},
        decode(${text(Buffer.from(made.publicKey).toString('hex'))}, 'hex'),
        ${bigint(made.counter)}, ${texts(made.transports)}, ${text(name)}
      WHERE (SELECT count(*) FROM docket.passkey o WHERE o.user_id = ${int(userId)}) < ${int(maxPasskeys)}
      ON CONFLICT DO NOTHING
      RETURNING ${passkeyColumns}`,
  )

type Own = { readonly id: number; readonly userId: number }

/** Renames a passkey of a user; false if they have none with this id. */
export const renamePasskey = async (
  database: Queryable,
  { id, userId }: Own,
  name: string,
): Promise<boolean> => {
  const renamed = await execute(
    database,
    sql`
      UPDATE docket.passkey SET name = ${text(name)}
      WHERE id = ${int(id)} AND user_id = ${int(userId)}`,
  )
  return renamed > 0
}

/** Removes a passkey of a user; false if they have none with this id. */
export const deletePasskey = async (database: Queryable, { id, userId }: Own): Promise<boolean> => {
  const removed = await execute(
    database,
    sql`DELETE FROM docket.passkey WHERE id = ${int(id)} AND user_id = ${int(userId)}`,
  )
  return removed > 0
}

/**
 * Notes the use of a passkey, and returns the counter before it; undefined if it was removed. Its row is locked until the
 * transaction ends: what removes passkeys ends the sessions afterwards, and so also one that begins in this transaction.
 */
export const markPasskeyUsed = (
  database: Queryable,
  { id, counter }: { readonly id: number; readonly counter: number },
): Promise<number | undefined> =>
  queryValue<number>(
    database,
    sql`
      UPDATE docket.passkey k SET counter = ${bigint(counter)}, last_used_at = now()
      FROM (SELECT o.counter FROM docket.passkey o WHERE o.id = ${int(id)} FOR UPDATE) former
      WHERE k.id = ${int(id)} RETURNING former.counter::float8 AS counter`,
  )
