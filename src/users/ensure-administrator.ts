/** At start: a database without an administrator gets one, so that a new project can be used. */
import type { Pool, Queryable } from '../database/pool.ts'
import { transaction } from '../database/transaction.ts'
import { administratorRole } from '../definitions/checks/check-role.ts'
import { StartupError } from '../errors.ts'
import type { Observe } from '../observations.ts'
import {
  countAdministrators,
  findUserByEmail,
  insertUser,
  lockAdministrators,
  type User,
} from './user-store.ts'

type Options = { readonly pool: Pool; readonly email: string; readonly observe: Observe }

/**
 * Creates the administrator if there is no active one. Throws a StartupError if the e-mail belongs to a user with
 * another role. The roles must exist (`ensureRoles`).
 */
export const ensureAdministrator = async ({ pool, email, observe }: Options): Promise<void> => {
  if ((await countAdministrators(pool)) > 0) return
  const isCreated = await transaction(pool, (connection) => makeAdministrator(connection, email))
  if (isCreated) observe({ kind: 'administratorCreated', email })
}

/** Does the same in an open transaction. Returns whether an administrator was created. */
export const makeAdministrator = async (connection: Queryable, email: string): Promise<boolean> => {
  await lockAdministrators(connection)
  if ((await countAdministrators(connection)) > 0) return false
  await createAdministrator(connection, email)
  return true
}

const createAdministrator = async (connection: Queryable, email: string): Promise<void> => {
  const other = await findUserByEmail(connection, email)
  if (other) throw new StartupError(refusal(other))
  const id = await insertUser(connection, {
    identity_provider_user_id: email,
    first_name: 'Docket',
    last_name: 'Administrator',
    full_name: 'Administrator',
    email,
    role_key: administratorRole,
  })
  if (id === undefined)
    throw new StartupError(
      `The administrator ${email} cannot be created: another user has this username or identity_provider_user_id. Set ADMIN_EMAIL to another e-mail.`,
    )
}

// The service never extends the permissions of an existing user.
const refusal = ({ email, role_key }: User): string => {
  const state =
    role_key === administratorRole
      ? 'is an administrator who is blocked or inactive'
      : `has ${role_key === null ? 'a role that was removed' : `the role "${role_key}"`}`
  return `There is no active administrator, and the user ${email} ${state}. Set ADMIN_EMAIL to an e-mail that no user has, or make this user an active administrator in the database.`
}
