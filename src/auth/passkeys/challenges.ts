/**
 * Challenges of passkeys. One is in a signed cookie, so that it belongs to the browser that has asked, and that those who
 * only ask fill no table. It works once, within five minutes.
 */
import { randomBytes } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../../config/load-config.ts'
import { execute, type Queryable } from '../../database/pool.ts'
import { int, sql, text } from '../../database/sql.ts'
import { digestOf } from '../callers/api-keys.ts'
import { createCookies } from '../sessions/cookies.ts'

/** Signs what a browser keeps, by the key of the database. */
export type CookieSigner = {
  readonly sign: (claim: object) => string
  readonly read: (token: string) => Readonly<Record<string, unknown>> | undefined
}

/** What a challenge is for: signing in, or a new passkey of a user. */
type Purpose = 'passkey of a sign-in' | `new passkey of user ${number}`

export type Challenges = {
  /** Makes a challenge, and sets its cookie. */
  readonly begin: (reply: FastifyReply, purpose: Purpose) => string
  /** The challenge of the browser; undefined if it has none for this purpose, or one that is too old. */
  readonly find: (request: FastifyRequest, purpose: Purpose) => string | undefined
}

/** Time for confirming with a passkey. */
export const challengeSeconds = 300

/** Creates the challenges of one service. */
export const createChallenges = (
  config: Config,
  signer: CookieSigner,
  now: () => number = Date.now,
): Challenges => {
  const cookies = createCookies(config)
  return {
    begin: (reply, purpose) => {
      const challenge = randomBytes(32).toString('base64url')
      const until = now() + challengeSeconds * 1000
      const value = signer.sign({ purpose, challenge, until })
      reply.header('Set-Cookie', cookies.print('challenge', value, challengeSeconds))
      return challenge
    },
    find: ({ headers }, wanted) => {
      const claim = signer.read(cookies.read(headers.cookie, 'challenge') ?? '')
      const { purpose, challenge, until } = claim ?? {}
      const isOpen = purpose === wanted && typeof until === 'number' && until > now()
      return isOpen && typeof challenge === 'string' ? challenge : undefined
    },
  }
}

/** Uses up a challenge; false if it was used already. */
export const useChallenge = async (database: Queryable, challenge: string): Promise<boolean> => {
  const inserted = await execute(
    database,
    sql`
      INSERT INTO docket.used_challenge (digest, expires_at)
      VALUES (${text(digestOf(challenge))}, now() + make_interval(secs => ${int(challengeSeconds)}))
      ON CONFLICT DO NOTHING`,
  )
  return inserted > 0
}
