/** A further proof of who the user of a session is, before they change how they sign in. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../../config/load-config.ts'
import type { Pool } from '../../database/pool.ts'
import { validationError } from '../../errors.ts'
import type { Passkeys } from '../passkeys/passkeys.ts'
import type { PasskeyProof } from '../passkeys/verify-passkey.ts'
import { assertOpen, createKnownBrowsers } from '../passwords/known-browsers.ts'
import { findPasswordOf, forgetFailures } from '../passwords/password-store.ts'
import { assertPassword } from '../passwords/passwords.ts'
import { findApp, markProven, takeAppCode } from '../second-factor/second-factor-store.ts'
import type { Sessions } from '../sessions/sessions.ts'
import { currentOwn } from './own-session.ts'

/** Exactly one of them is given. */
type Proof = {
  readonly password?: string
  readonly code?: string
  readonly passkey?: PasskeyProof
}

/** Notes a proof for the session of a request; throws an error 400 if it is wrong. */
export type Prove = (
  proof: Proof,
  call: { readonly request: FastifyRequest; readonly reply: FastifyReply },
) => Promise<void>

type Options = {
  readonly config: Config
  readonly pool: Pool
  readonly sessions: Sessions
  readonly passkeys: Passkeys
}

/** Creates the proofs of one service. */
export const createProve = ({ config, pool, sessions, passkeys }: Options): Prove => {
  const browsers = createKnownBrowsers(pool, config)

  const assertCode = async (userId: number, code: string, request: FastifyRequest) => {
    const target = await browsers.targetOf(request, { userId, of: 'second factor' })
    await assertOpen(pool, target)
    if (!(await takeAppCode(pool, { userId, code }))) throw wrongAt('code')
    await forgetFailures(pool, target)
  }

  return async ({ password, code, passkey }, call) => {
    const { request } = call
    const { caller, session } = await currentOwn(sessions, request)
    const { userId, email: name } = caller
    if (code !== undefined) await assertCode(userId, code, request)
    else if (passkey !== undefined) {
      if (!(await passkeys.isProof(passkey, userId, call))) throw wrongAt('passkey')
    } else {
      // Who has learned the password, and found an API key or an open browser, must not remove the app.
      if (await findApp(pool, userId)) throw lesserProof()
      const hash = await findPasswordOf(pool, userId)
      if (hash === undefined) throw wrongAt('password')
      await assertPassword({ pool, browsers }, { name, userId, hash, password }, request)
    }
    await markProven(pool, session.id)
  }
}

const lesserProof = () =>
  validationError('request.invalid', [
    { path: 'password', message: 'does not suffice: give a code of your authenticator app' },
  ])

const wrongAt = (path: string) =>
  validationError('request.invalid', [{ path, message: 'is wrong, or is not yours' }])
