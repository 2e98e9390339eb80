/** Queries about passwords, known browsers and failed sign-ins. Secrets are stored by their digests alone. */
import { execute, hasRows, type Queryable, queryRow, queryValue } from '../../database/pool.ts'
import { int, notDeleted, sql, table, text } from '../../database/sql.ts'
import { lowerCase } from '../../lower-case.ts'
import { activeUser } from '../../users/user-store.ts'

type Found = {
  readonly userId: number
  /** Undefined: no password signs them in, because they have none, or may not sign in. */
  readonly hash: string | undefined
}

/** The user with this e-mail or user name, with their password if they may sign in; upper and lower case are the same. */
export const findPassword = async (
  database: Queryable,
  name: string,
): Promise<Found | undefined> => {
  const row = await queryRow<{ user_id: number; hash: string | null }>(
    database,
    sql`
      SELECT u.id AS user_id, CASE WHEN ${activeUser('u')} THEN p.hash END AS hash
      FROM ${table('user')} u LEFT JOIN docket.password p ON p.user_id = u.id
      WHERE (u.email = ${text(lowerCase(name))} OR u.username = ${text(lowerCase(name))})
        AND ${notDeleted('u')}
      ORDER BY ${activeUser('u')} AND p.hash IS NOT NULL DESC, u.email = ${text(lowerCase(name))} DESC LIMIT 1`,
  )
  return row && { userId: row.user_id, hash: row.hash ?? undefined }
}

/** The hash of the password of a user; undefined if they have none. */
export const findPasswordOf = (database: Queryable, userId: number): Promise<string | undefined> =>
  queryValue<string>(database, sql`SELECT hash FROM docket.password WHERE user_id = ${int(userId)}`)

/** Whether a user has a password, a passkey or an API key, or at least an open invitation; undefined: nobody can sign in. */
export const findFirstCredential = async (
  database: Queryable,
): Promise<'credential' | 'invitation' | undefined> => {
  const row = await queryRow<{ has: boolean; is_invited: boolean }>(
    database,
    sql`
      SELECT EXISTS (SELECT FROM docket.password) OR EXISTS (SELECT FROM docket.passkey)
        OR EXISTS (SELECT FROM docket.api_key WHERE revoked_at IS NULL) AS has,
        EXISTS (
          SELECT FROM docket.one_time_code WHERE kind = 'invitation' AND expires_at > now()
        ) AS is_invited`,
  )
  if (row?.has) return 'credential'
  return row?.is_invited ? 'invitation' : undefined
}

/** Sets the password of a user. */
export const storePassword = (database: Queryable, userId: number, hash: string) =>
  execute(
    database,
    sql`
      INSERT INTO docket.password AS p (user_id, hash) VALUES (${int(userId)}, ${text(hash)})
      ON CONFLICT (user_id) DO UPDATE SET hash = excluded.hash, set_at = now()`,
  )

/** Sets the password of a user who has none; false if they have one. */
export const storeFirstPassword = async (
  database: Queryable,
  userId: number,
  hash: string,
): Promise<boolean> => {
  const stored = await execute(
    database,
    sql`
      INSERT INTO docket.password (user_id, hash) VALUES (${int(userId)}, ${text(hash)})
      ON CONFLICT DO NOTHING`,
  )
  return stored > 0
}

/** Removes the password of a user. */
export const deletePassword = (database: Queryable, userId: number) =>
  execute(database, sql`DELETE FROM docket.password WHERE user_id = ${int(userId)}`)

type Former = { readonly userId: number; readonly hash: string }

/** Replaces the password of a user, if it still has the hash that was checked; whether it had. */
export const replacePassword = async (
  database: Queryable,
  { userId, hash }: Former,
  next: string,
): Promise<boolean> => {
  const replaced = await execute(
    database,
    sql`
      UPDATE docket.password SET hash = ${text(next)}, set_at = now()
      WHERE user_id = ${int(userId)} AND hash = ${text(hash)}`,
  )
  return replaced > 0
}

/**
 * Locks the password that was checked until the transaction ends; whether it still has that hash. What replaces a password ends the
 * sessions afterwards, so that a session which begins in this transaction is ended with the others.
 */
export const lockPassword = (database: Queryable, { userId, hash }: Former): Promise<boolean> =>
  hasRows(
    database,
    sql`
      SELECT FROM docket.password
      WHERE user_id = ${int(userId)} AND hash = ${text(hash)} FOR SHARE`,
  )

/** Whether a user has signed in before with the browser of this cookie. */
export const isKnownBrowser = (
  database: Queryable,
  { digest, userId }: { readonly digest: string; readonly userId: number },
): Promise<boolean> =>
  hasRows(
    database,
    sql`
      SELECT FROM docket.known_browser
      WHERE user_id = ${int(userId)} AND digest = ${text(digest)}`,
  )

const maxBrowsers = 20

/** Notes the browser of a user who has signed in; of more than twenty the longest unused ones are forgotten. */
export const storeBrowser = async (
  database: Queryable,
  { digest, userId }: { readonly digest: string; readonly userId: number },
): Promise<void> => {
  await execute(
    database,
    sql`
      INSERT INTO docket.known_browser (digest, user_id) VALUES (${text(digest)}, ${int(userId)})
      ON CONFLICT (user_id, digest) DO UPDATE SET last_used_at = now()`,
  )
  await execute(
    database,
    sql`
      DELETE FROM docket.known_browser
      WHERE user_id = ${int(userId)} AND digest IN (
        SELECT digest FROM docket.known_browser
        WHERE user_id = ${int(userId)} ORDER BY last_used_at DESC, digest OFFSET ${int(maxBrowsers)}
      )`,
  )
}

/**
 * Ends all sessions of a user but one, also those that still begin, and forgets the browsers in which they have signed in. Returns how
 * many have ended.
 */
export const endSessionsOf = async (
  database: Queryable,
  { userId, except }: { readonly userId: number; readonly except?: number },
): Promise<number> => {
  // In this order: what ends its second step meanwhile has begun its session then.
  await execute(database, sql`DELETE FROM docket.sign_in_step WHERE user_id = ${int(userId)}`)
  const ended = await execute(
    database,
    sql`
      DELETE FROM docket.session
      WHERE (user_id = ${int(userId)} OR acting_user_id = ${int(userId)})
        AND id IS DISTINCT FROM ${int(except ?? null)}`,
  )
  await execute(database, sql`DELETE FROM docket.known_browser WHERE user_id = ${int(userId)}`)
  return ended
}

/** After so many failures and each further one a target waits, twice as long each time: from the first pause, in seconds, to the longest. */
export type Pauses = { readonly free: number; readonly first: number; readonly longest: number }

const ofPasswords: Pauses = { free: 5, first: 30, longest: 900 }
// The column would round it up, and a second attempt within the same millisecond would have to wait.
const thisMillisecond = sql`date_trunc('milliseconds', clock_timestamp())`

/**
 * Counts a sign-in as failed before it is checked, so that many at once cannot guess more. Returns the seconds to wait if the
 * target is paused, and then counts nothing. A day without a failure forgets all of them.
 */
export const countFailure = async (
  database: Queryable,
  target: string,
  { free, first, longest }: Pauses = ofPasswords,
): Promise<number | undefined> =>
  (await queryValue<number | null>(
    database,
    sql`
      WITH counted AS (
        INSERT INTO docket.failed_sign_in AS f (target, failures, last_at, open_at)
        VALUES (${text(target)}, 1, clock_timestamp(),
          ${thisMillisecond} + make_interval(secs => ${int(free > 1 ? 0 : first)}))
        ON CONFLICT (target) DO UPDATE
        SET failures = CASE WHEN f.last_at < now() - interval '1 day' THEN 1 ELSE f.failures + 1 END,
          last_at = clock_timestamp(),
          open_at = ${thisMillisecond} + CASE
            WHEN f.last_at < now() - interval '1 day' THEN make_interval(secs => ${int(free > 1 ? 0 : first)})
            WHEN f.failures + 1 < ${int(free)} THEN interval '0'
            ELSE make_interval(secs => least(
              ${int(longest)}, ${int(first)} * 2 ^ least(f.failures + 1 - ${int(free)}, 10)
            ))
          END
        WHERE f.open_at <= clock_timestamp()
        RETURNING 1
      )
      SELECT CASE WHEN NOT EXISTS (SELECT FROM counted) THEN coalesce((
        SELECT greatest(1, ceil(extract(epoch FROM f.open_at - clock_timestamp())))::integer
        FROM docket.failed_sign_in f WHERE f.target = ${text(target)}
        -- A row that was inserted after this statement began is not seen here.
      ), 1) END AS seconds`,
  )) ?? undefined

/** Forgets the failures of a target whose sign-in was right. */
export const forgetFailures = (database: Queryable, target: string) =>
  execute(database, sql`DELETE FROM docket.failed_sign_in WHERE target = ${text(target)}`)
