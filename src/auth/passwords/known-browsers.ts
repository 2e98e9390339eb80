/**
 * Browsers in which a user has signed in before. They count their failures apart, so that others who guess passwords do not keep
 * the user out: the cookie is theirs alone.
 */
import { randomBytes } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../../config/load-config.ts'
import type { Pool } from '../../database/pool.ts'
import { apiError } from '../../errors.ts'
import { lowerCase } from '../../lower-case.ts'
import { digestOf } from '../callers/api-keys.ts'
import { createCookies } from '../sessions/cookies.ts'
import { countFailure, isKnownBrowser, type Pauses, storeBrowser } from './password-store.ts'

const cookieSeconds = 365 * 24 * 3600

type Named = { readonly name: string; readonly userId: number | undefined }

/** Whose password is guessed, or whose second factor. */
type Guessed = Named | { readonly userId: number; readonly of: 'second factor' }

export type KnownBrowsers = {
  /** What failures of a sign-in count for: the browser, if the user has signed in with it, or their name. */
  readonly targetOf: (request: FastifyRequest, one: Guessed) => Promise<string>
  /** Notes the browser of a user who has signed in, and sets its cookie. */
  readonly remember: (userId: number, request: FastifyRequest, reply: FastifyReply) => Promise<void>
}

/** What failures in unknown browsers count for: an e-mail and a user name are two names of one user. */
export const nameTarget = ({ name, userId }: Named): string =>
  digestOf(userId === undefined ? `name ${lowerCase(name)}` : `user ${userId}`)

/** Creates the lookup of one service. */
export const createKnownBrowsers = (pool: Pool, config: Config): KnownBrowsers => {
  const cookies = createCookies(config)
  const secretOf = ({ headers }: FastifyRequest): string | undefined => {
    const secret = cookies.read(headers.cookie, 'browser')
    return secret !== undefined && /^[\w-]{43}$/.test(secret) ? secret : undefined
  }
  return {
    targetOf: async (request, one) => {
      const { userId } = one
      // Who guesses a code knows the password: a right one must not forget wrong codes.
      const what = 'of' in one ? `${one.of} of ` : ''
      const byName = 'name' in one ? nameTarget(one) : digestOf(`${what}user ${userId}`)
      const secret = secretOf(request)
      if (secret === undefined) return byName
      const digest = digestOf(secret)
      // Asked for an unknown name too, so that it takes as long.
      const isKnown = await isKnownBrowser(pool, { digest, userId: userId ?? 0 })
      return isKnown ? digestOf(`${what}browser ${digest} of user ${userId}`) : byName
    },
    remember: async (userId, request, reply) => {
      const secret = secretOf(request) ?? randomBytes(32).toString('base64url')
      await storeBrowser(pool, { digest: digestOf(secret), userId })
      reply.header('Set-Cookie', cookies.print('browser', secret, cookieSeconds))
    },
  }
}

type Limits = { readonly message?: string; readonly pauses?: Pauses }

/** Counts a guess at a target; throws an error 429 while it is paused. */
export const assertOpen = async (
  pool: Pool,
  target: string,
  { message = 'There were too many wrong passwords.', pauses }: Limits = {},
): Promise<void> => {
  const seconds = await countFailure(pool, target, pauses)
  if (seconds !== undefined)
    throw apiError('request.too-many', message, {
      headers: { 'Retry-After': String(seconds) },
    })
}
