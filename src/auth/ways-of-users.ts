/** By which ways users of the service itself can sign in. */
import { type Queryable, queryRows } from '../database/pool.ts'
import { ints, sql } from '../database/sql.ts'

export type WaysOfUser = {
  readonly has_password: boolean
  readonly passkeys: number
  /** Whether an authenticator app is asked after the password. */
  readonly has_second_factor: boolean
}

/** The ways of some users, by their id; every given user has an entry. */
export const signInWaysOf = async (
  database: Queryable,
  userIds: readonly number[],
): Promise<ReadonlyMap<number, WaysOfUser>> => {
  const rows = await queryRows<WaysOfUser & { readonly user_id: number }>(
    database,
    sql`
      SELECT given.user_id, p.user_id IS NOT NULL AS has_password, f.user_id IS NOT NULL AS has_second_factor,
        (SELECT count(*)::integer FROM docket.passkey k WHERE k.user_id = given.user_id) AS passkeys
      FROM unnest(${ints(userIds)}) AS given (user_id)
      LEFT JOIN docket.password p ON p.user_id = given.user_id
      LEFT JOIN docket.second_factor f ON f.user_id = given.user_id`,
  )
  return new Map(rows.map(({ user_id, ...ways }) => [user_id, ways]))
}
