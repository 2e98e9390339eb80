/** Ends all that signs a user in, for good. */
import { execute, type Queryable } from '../../database/pool.ts'
import { int, sql } from '../../database/sql.ts'
import { revokeApiKeysOf } from '../callers/api-keys.ts'
import { deleteInvitationOf } from '../codes/one-time-code-store.ts'
import { deletePassword, endSessionsOf } from '../passwords/password-store.ts'
import { removeFactors } from '../second-factor/second-factor-store.ts'

type Ended = {
  readonly sessions: number
  /** Ids of the API keys. */
  readonly keys: readonly number[]
  readonly invitations: number
}

/**
 * Removes the codes, password, passkeys, second factor, known browsers, sessions and API keys of a user, in the order of an invitation
 * that is accepted meanwhile. Who comes back needs a new invitation.
 */
export const removeCredentials = async (database: Queryable, userId: number): Promise<Ended> => {
  const invitations = await deleteInvitationOf(database, userId)
  await execute(database, sql`DELETE FROM docket.one_time_code WHERE user_id = ${int(userId)}`)
  await deletePassword(database, userId)
  await removeFactors(database, userId)
  const sessions = await endSessionsOf(database, { userId })
  return { sessions, keys: await revokeApiKeysOf(database, userId), invitations }
}
