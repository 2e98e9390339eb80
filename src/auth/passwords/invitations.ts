/** Invitations: a link that sets the password of its user, once. */
import { randomBytes } from 'node:crypto'
import type { Queryable } from '../../database/pool.ts'
import { digestOf } from '../callers/api-keys.ts'
import { insertInvitation } from './password-store.ts'

type Created = { readonly id: number; readonly code: string; readonly expiresAt: string }

/** Invites a user in place of an earlier invitation; its code is visible only here. Undefined: there is no such active user. */
export const createInvitation = async (
  database: Queryable,
  { userId, invitedBy }: { readonly userId: number; readonly invitedBy: number | null },
): Promise<Created | undefined> => {
  const code = randomBytes(32).toString('base64url')
  const stored = await insertInvitation(database, { digest: digestOf(code), userId, invitedBy })
  return stored && { ...stored, code }
}

/** The page that it leads to. The code is in the fragment, which browsers do not send. */
export const invitationLink = (base: string, code: string): string =>
  `${base}/console/-/login#invitation=${code}`
