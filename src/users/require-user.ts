/** The user whom a command names by an e-mail. */
import { type Queryable, queryRows } from '../database/pool.ts'
import { int, sql, table, text } from '../database/sql.ts'
import { didYouMean } from '../did-you-mean.ts'
import { StartupError } from '../errors.ts'
import { lowerCase } from '../lower-case.ts'
import type { User } from './user.ts'
import { findUserByEmail } from './user-store.ts'

// More would take long to compare.
const compared = 1_000

/** Throws a StartupError that says what to do if there is no such user; upper and lower case are the same. */
export const requireUser = async (database: Queryable, email: string): Promise<User> => {
  const user = await findUserByEmail(database, email)
  if (user) return user
  const [row] = await queryRows<{ is_removed: boolean; emails: readonly string[] | null }>(
    database,
    sql`
      SELECT EXISTS (
          SELECT FROM ${table('user')} WHERE email = ${text(lowerCase(email))} AND _is_deleted
        ) AS is_removed,
        (SELECT array_agg(u.email) FROM (
          SELECT email FROM ${table('user')} WHERE NOT _is_deleted ORDER BY id LIMIT ${int(compared)}
        ) u) AS emails`,
  )
  if (row?.is_removed) throw new StartupError(`The user with the e-mail ${email} was removed.`)
  const hint = didYouMean(lowerCase(email), row?.emails ?? [])
  throw new StartupError(
    `There is no user with the e-mail ${email}${hint || '.'} "docket seed" loads the users of the project.`,
  )
}
