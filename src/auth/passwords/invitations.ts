/** Invitations: a link that sets the password of its user, once. */
import { randomBytes } from 'node:crypto'
import { type Origin, recordAudit } from '../../audit/record-audit.ts'
import type { Queryable } from '../../database/pool.ts'
import { digestOf } from '../callers/api-keys.ts'
import { insertInvitation } from './password-store.ts'

type Created = { readonly id: number; readonly code: string; readonly expiresAt: string }

type Invited = {
  readonly userId: number
  /** Null for the command line. */
  readonly invitedBy: number | null
  readonly origin?: Origin
}

/**
 * Invites a user in place of an earlier invitation, in an open transaction; its code is visible only here. Undefined: there is no
 * such active user.
 */
export const createInvitation = async (
  database: Queryable,
  { userId, invitedBy, origin }: Invited,
): Promise<Created | undefined> => {
  const code = randomBytes(32).toString('base64url')
  const stored = await insertInvitation(database, { digest: digestOf(code), userId, invitedBy })
  if (!stored) return undefined
  const by = invitedBy === null ? undefined : { userId: invitedBy, actingUserId: null }
  await recordAudit(database, { kind: 'invite', by, aboutUserId: userId, origin })
  return { ...stored, code }
}

/** The page that it leads to. The code is in the fragment, which browsers do not send. */
export const invitationLink = (base: string, code: string): string =>
  `${base}/console/-/login#invitation=${code}`
