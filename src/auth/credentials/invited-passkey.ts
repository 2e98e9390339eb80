/** An invitation that a person accepts with a passkey in place of a password. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { originOf, recordAudit } from '../../audit/record-audit.ts'
import type { Pool } from '../../database/pool.ts'
import type { Observe } from '../../observations.ts'
import { digestOf } from '../callers/api-keys.ts'
import type { CallerCache } from '../callers/caller-cache.ts'
import { takeCode } from '../codes/one-time-code-store.ts'
import type { CreationOptions, NamedPasskey, Passkeys } from '../passkeys/passkeys.ts'
import { deletePassword, endSessionsOf } from '../passwords/password-store.ts'
import { invitedBy, wrongInvitation } from '../passwords/passwords.ts'
import { removeFactors } from '../second-factor/second-factor-store.ts'
import type { Sessions, StartedSession } from '../sessions/sessions.ts'
import { invalidToken } from '../unauthorized.ts'
import { tellCredential } from './own-credentials.ts'

type Call = { readonly request: FastifyRequest; readonly reply: FastifyReply }

export type InvitedPasskey = {
  /** Begins a passkey of the invited user; uses nothing up. */
  readonly begin: (code: string, call: Call) => Promise<CreationOptions>
  /** Takes all other credentials of the user away, ends their sessions, stores the passkey, and signs in. */
  readonly accept: (
    given: NamedPasskey & { readonly code: string },
    call: Call,
  ) => Promise<StartedSession>
}

type Options = {
  readonly pool: Pool
  readonly callers: CallerCache
  readonly sessions: Sessions
  readonly passkeys: Passkeys
  readonly observe: Observe
}

/** Creates what one service answers to it. */
export const createInvitedPasskey = (options: Options): InvitedPasskey => {
  const { pool, callers, sessions, passkeys, observe } = options
  return {
    begin: async (code, call) => {
      sessions.assertOwnPage(call.request)
      return passkeys.beginPasskey(await invitedBy(pool, code, call), call)
    },
    accept: async ({ code, ...given }, call) => {
      const { request, reply } = call
      sessions.assertOwnPage(request)
      const { userId } = await invitedBy(pool, code, call)
      const store = await passkeys.read(given, userId, call)
      const started = await sessions.start(request, reply, {
        userId,
        actingUserId: null,
        way: 'invitation',
        maySwitch: false,
        beforeStart: async (connection) => {
          // Of two at once, the second finds none.
          const taken = await takeCode(connection, { kind: 'invitation', digest: digestOf(code) })
          if (taken !== userId) throw invalidToken(wrongInvitation)
          // In this order: what is locked here is what sign-ins lock before they begin a session.
          await deletePassword(connection, userId)
          await removeFactors(connection, userId)
          await store(connection)
          const about = { by: { userId, actingUserId: null }, aboutUserId: userId }
          const origin = originOf(request)
          await recordAudit(connection, { kind: 'acceptInvitation', ...about, origin })
          await tellCredential(userId, request)(connection, {
            credential: 'passkey',
            change: 'added',
          })
          await endSessionsOf(connection, { userId })
        },
      })
      callers.forget(userId)
      observe({
        kind: 'credentialChanged',
        userId,
        credential: 'passkey',
        change: 'added',
        by: 'invitation',
      })
      return started
    },
  }
}
