/** Queries about second factors: authenticator apps, recovery codes, and sign-ins that wait for them. */
import { execute, type Queryable, queryCount, queryRow, queryValue } from '../../database/pool.ts'
import { int, isoTime, sql, table, text, texts } from '../../database/sql.ts'
import { activeUser } from '../../users/user-store.ts'
import { stepOf, stepSeconds } from './codes.ts'

// That of the database, so that all processes have the same.
const currentStep = sql`floor(extract(epoch FROM clock_timestamp()) / ${int(stepSeconds)})::integer`

/** The step of time of a code that an app with this key shows now; undefined if it shows another one. */
export const findStepOfCode = async (
  database: Queryable,
  key: Uint8Array,
  code: string,
): Promise<number | undefined> => {
  const now = await queryCount(database, sql`SELECT ${currentStep} AS now`)
  return stepOf(key, code, now)
}

type NewApp = { readonly userId: number; readonly key: Uint8Array; readonly step: number }

/** Sets the app of a user in place of an earlier one; the code of a step has shown that it works. */
export const storeApp = (database: Queryable, { userId, key, step }: NewApp) =>
  execute(
    database,
    sql`
      INSERT INTO docket.second_factor AS f (user_id, key, last_step)
      VALUES (${int(userId)}, decode(${text(Buffer.from(key).toString('hex'))}, 'hex'), ${int(step)})
      ON CONFLICT (user_id) DO UPDATE
      SET key = excluded.key, last_step = excluded.last_step, set_at = now()`,
  )

/** Since when a user has an app, in ISO 8601; undefined without one. */
export const findApp = async (
  database: Queryable,
  userId: number,
): Promise<{ readonly set_at: string } | undefined> =>
  queryRow<{ set_at: string }>(
    database,
    sql`
      SELECT ${isoTime('f.set_at')} AS set_at FROM docket.second_factor f
      WHERE f.user_id = ${int(userId)}`,
  )

/** Uses up a code of the app of a user; false if it is wrong, or was used. Of two at once, one is true. */
export const takeAppCode = async (
  database: Queryable,
  { userId, code }: { readonly userId: number; readonly code: string },
): Promise<boolean> => {
  const row = await queryRow<{ key: string; now: number }>(
    database,
    sql`
      SELECT encode(f.key, 'hex') AS key, ${currentStep} AS now
      FROM docket.second_factor f WHERE f.user_id = ${int(userId)}`,
  )
  const key = row && Buffer.from(row.key, 'hex')
  const step = key && stepOf(key, code, row.now)
  if (step === undefined) return false
  const taken = await execute(
    database,
    sql`
      UPDATE docket.second_factor f SET last_step = ${int(step)}
      WHERE f.user_id = ${int(userId)} AND f.last_step < ${int(step)}
        AND f.key = decode(${text(row?.key ?? '')}, 'hex')`,
  )
  return taken > 0
}

/** Removes the app of a user, and their recovery codes; false if they have no app. */
export const deleteApp = async (database: Queryable, userId: number): Promise<boolean> => {
  await storeRecoveryCodes(database, userId, [])
  return (
    (await execute(
      database,
      sql`DELETE FROM docket.second_factor WHERE user_id = ${int(userId)}`,
    )) > 0
  )
}

/** Replaces the recovery codes of a user by those with these digests. */
export const storeRecoveryCodes = async (
  database: Queryable,
  userId: number,
  digests: readonly string[],
): Promise<void> => {
  await execute(database, sql`DELETE FROM docket.recovery_code WHERE user_id = ${int(userId)}`)
  await execute(
    database,
    sql`
      INSERT INTO docket.recovery_code (user_id, digest)
      SELECT ${int(userId)}, given.digest FROM unnest(${texts(digests)}) AS given (digest)`,
  )
}

/** Uses up a recovery code; false if the user has none with this digest. */
export const takeRecoveryCode = async (
  database: Queryable,
  { userId, digest }: { readonly userId: number; readonly digest: string },
): Promise<boolean> => {
  const taken = await execute(
    database,
    sql`
      DELETE FROM docket.recovery_code
      WHERE user_id = ${int(userId)} AND digest = ${text(digest)}`,
  )
  return taken > 0
}

export const countRecoveryCodes = (database: Queryable, userId: number): Promise<number> =>
  queryCount(
    database,
    sql`
      SELECT count(*)::integer AS count FROM docket.recovery_code
      WHERE user_id = ${int(userId)}`,
  )

/** Time for the second step of a sign-in. */
export const signInStepSeconds = 600

/** Stores a sign-in that waits for its second step. */
export const insertSignInStep = (database: Queryable, digest: string, userId: number) =>
  execute(
    database,
    sql`
      INSERT INTO docket.sign_in_step (digest, user_id, expires_at)
      VALUES (${text(digest)}, ${int(userId)}, now() + make_interval(secs => ${int(signInStepSeconds)}))`,
  )

export type WaitingUser = {
  readonly userId: number
  readonly fullName: string
  readonly email: string
}

/** Whose sign-in waits for its second step; undefined if none does, or if the user may not sign in. */
export const findSignInStep = async (
  database: Queryable,
  digest: string,
): Promise<WaitingUser | undefined> => {
  const row = await queryRow<{ id: number; full_name: string; email: string }>(
    database,
    sql`
      SELECT u.id, u.full_name, u.email
      FROM docket.sign_in_step s JOIN ${table('user')} u ON u.id = s.user_id AND ${activeUser('u')}
      WHERE s.digest = ${text(digest)} AND s.expires_at > now()`,
  )
  return row && { userId: row.id, fullName: row.full_name, email: row.email }
}

/** Uses up a sign-in that waits; false if it has ended meanwhile. */
export const takeSignInStep = async (database: Queryable, digest: string): Promise<boolean> =>
  (await execute(
    database,
    sql`DELETE FROM docket.sign_in_step WHERE digest = ${text(digest)} AND expires_at > now()`,
  )) > 0

// How long a proof counts.
const proofMinutes = 10

/** Whether the user of a session has proven within the last minutes who they are. */
export const isProven = async (database: Queryable, sessionId: number): Promise<boolean> =>
  (await queryValue<boolean>(
    database,
    sql`
      SELECT coalesce(s.proven_at > now() - make_interval(mins => ${int(proofMinutes)}), false) AS is_proven
      FROM docket.session s WHERE s.id = ${int(sessionId)}`,
  )) ?? false

export const markProven = (database: Queryable, sessionId: number) =>
  execute(database, sql`UPDATE docket.session SET proven_at = now() WHERE id = ${int(sessionId)}`)

/**
 * Takes the passkeys, the app and the recovery codes of a user away; what they sign in with next is set by who calls this,
 * who ends the sessions afterwards.
 */
export const removeFactors = async (database: Queryable, userId: number): Promise<void> => {
  await execute(database, sql`DELETE FROM docket.passkey WHERE user_id = ${int(userId)}`)
  await deleteApp(database, userId)
}

/** Locks a user until the transaction ends: sign-ins wait (`lockActiveUser`), and see then what has changed. */
export const lockSignIns = (database: Queryable, userId: number) =>
  execute(
    database,
    sql`SELECT FROM ${table('user')} u WHERE u.id = ${int(userId)} FOR NO KEY UPDATE`,
  )
