/** Invitations: a link that lets its user in, once. */
import { randomBytes } from 'node:crypto'
import { type Origin, recordAudit } from '../../audit/record-audit.ts'
import type { Queryable } from '../../database/pool.ts'
import { digestOf } from '../callers/api-keys.ts'
import { insertCode } from '../codes/one-time-code-store.ts'

export type NewInvitation = {
  readonly id: number
  /** Undefined if it is sent by e-mail: it is made then. */
  readonly code: string | undefined
  readonly expiresAt: string
}

export type Invited = {
  readonly userId: number
  /** Null for the command line. */
  readonly invitedBy: number | null
  readonly origin?: Origin | undefined
}

/** Stores an invitation, of whose code only the digest is known; null: it is made when it is sent. Undefined: there is no such active user. */
export const insertInvitation = async (
  database: Queryable,
  { userId, invitedBy, origin, digest }: Invited & { readonly digest: string | null },
): Promise<{ readonly id: number; readonly expiresAt: string } | undefined> => {
  const stored = await insertCode(database, { kind: 'invitation', digest, userId, invitedBy })
  if (!stored) return undefined
  const by = invitedBy === null ? undefined : { userId: invitedBy, actingUserId: null }
  await recordAudit(database, { kind: 'invite', by, aboutUserId: userId, origin })
  return stored
}

/**
 * Invites a user in place of an earlier invitation, in an open transaction; its code is visible only here. Undefined: there is no
 * such active user.
 */
export const createInvitation = async (
  database: Queryable,
  { userId, invitedBy, origin }: Invited,
): Promise<(NewInvitation & { readonly code: string }) | undefined> => {
  const code = randomBytes(32).toString('base64url')
  const digest = digestOf(code)
  const stored = await insertInvitation(database, { userId, invitedBy, origin, digest })
  return stored && { ...stored, code }
}

/**
 * The page that it leads to. The code is in the fragment, which browsers do not send. The parameter keeps a service with an issuer from
 * redirecting there, which would take the fragment along.
 */
export const invitationLink = (base: string, code: string): string =>
  `${base}/console/-/login?invitation#invitation=${code}`
