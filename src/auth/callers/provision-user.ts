/** Creates a user for a first-time caller with a valid token (AUTH_PROVISION_ROLE). */
import { hash } from 'node:crypto'
import type { Pool } from '../../database/pool.ts'
import type { Catalog } from '../../definitions/catalog.ts'
import { administratorRole } from '../../definitions/checks/check-role.ts'
import { fieldTypeOf } from '../../definitions/field-types.ts'
import { didYouMean } from '../../did-you-mean.ts'
import { StartupError } from '../../errors.ts'
import type { Observe } from '../../observations.ts'
import { findUserBySubject, insertUser, type NewUser, type User } from '../../users/user-store.ts'
import type { Claims } from '../tokens/verify-token.ts'
import { invalidToken } from '../unauthorized.ts'

type Options = { readonly pool: Pool; readonly roleKey: string; readonly observe: Observe }

/** Throws a StartupError unless the role is one of roles/. */
export const checkProvisionRole = (catalog: Catalog, roleKey: string): void => {
  if (roleKey === administratorRole)
    throw new StartupError(
      'AUTH_PROVISION_ROLE cannot be "administrator": everybody with a token would control the service.',
    )
  if (!catalog.roles.has(roleKey))
    throw new StartupError(
      `AUTH_PROVISION_ROLE names the role "${roleKey}", and there is no roles/${roleKey}.json${didYouMean(roleKey, catalog.roles.keys())}.`,
    )
}

/** Creates the user once, however many requests ask; throws an error 401 if that is not possible. */
export const provisionUser = async (
  { pool, roleKey, observe }: Options,
  claims: Claims,
): Promise<User> => {
  const userId = await insertUser(pool, newUserOf(claims, roleKey))
  if (userId !== undefined) observe({ kind: 'userProvisioned', userId, role: roleKey })
  const user = await findUserBySubject(pool, claims.subject)
  if (user) return user
  // Matching an existing user by e-mail trusts the issuer with that account: only AUTH_BIND_BY_EMAIL allows it.
  throw invalidToken(
    'The user of this token cannot be created: another user has the same e-mail, or the role of first-time callers was removed. An administrator can set identity_provider_user_id of that user to the subject of the token, which GET /api/refused-sign-ins names.',
  )
}

const newUserOf = (claims: Claims, roleKey: string): NewUser => {
  const { subject, givenName, familyName } = claims
  // An address that the issuer has not verified may be anyone's.
  const claimed = claims.isEmailVerified === false ? undefined : claims.email
  const given = [givenName, familyName].filter((part) => part !== undefined).join(' ')
  const fullName = claims.name ?? (given || claimed || subject)
  const words = fullName.split(/\s+/)
  return {
    identity_provider_user_id: subject,
    first_name: (givenName ?? words.at(0) ?? fullName).slice(0, 255),
    last_name: (familyName ?? words.at(-1) ?? fullName).slice(0, 255),
    full_name: fullName.slice(0, 511),
    email: emailOf(claimed, subject),
    role_key: roleKey,
  }
}

// A user needs an e-mail, which machines do not have: RFC 2606 reserves `.invalid`, so no mailbox has such
// an address.
const emailOf = (email: string | undefined, subject: string): string =>
  [email, subject].find(isEmail) ?? `${hash('sha256', subject, 'hex').slice(0, 32)}@users.invalid`

const isEmail = (text: string | undefined): text is string =>
  text !== undefined && 'value' in fieldTypeOf({ key: 'email', type: 'email' }).check(text, 'UTC')
