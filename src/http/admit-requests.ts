/**
 * What is settled before a body is read: that the request is addressed to this service and to a path that
 * there is, who asks, and that they have not asked too often. Of a caller who is not known nothing but the
 * head of the request is ever looked at.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Caller } from '../auth/caller.ts'
import { apiError } from '../errors.ts'
import { assertPlainBody, assertRightHost, type IsAcceptedHost } from './check-head.ts'
import { isClosing } from './close-after-answer.ts'
import { unknownPath } from './fallback-routes.ts'
import type { AdmitReader } from './limits/limit-answers.ts'
import type { BodyLimits } from './limits/limit-bodies.ts'
import type { RequestLimits } from './limits/limit-requests.ts'

/**
 * Who sends a request; an error 401 for nobody. `beforeAsking` is called before anything is asked or
 * computed for a credential that is not remembered, and may throw.
 */
export type AuthenticateRequest = (
  request: FastifyRequest,
  beforeAsking?: () => Promise<void>,
) => Promise<Caller>

type Options = {
  readonly authenticate: AuthenticateRequest | undefined
  readonly takesHost: IsAcceptedHost | undefined
  readonly limits: RequestLimits
  readonly bodies: BodyLimits
  readonly admitReader: AdmitReader
}

/** Settles what can be of a request that the router refuses: the host that it names, and its address. */
export type AdmitUnrouted = (request: FastifyRequest) => Promise<void>

/** Adds the check to every path of a server. */
export const admitRequests = (server: FastifyInstance, options: Options): AdmitUnrouted => {
  server.decorateRequest('caller', undefined)
  server.addHook('onRequest', async (request, reply) => {
    try {
      await admit(request, reply, options)
    } catch (error) {
      // A short body has come with the head: one turn later it is behind us, and the connection can stay.
      if (!request.raw.complete) await nextTurn()
      throw error
    }
  })
  return (request) => admitAddress(request, options)
}

const admitAddress = async (
  request: FastifyRequest,
  { limits, takesHost }: Options,
): Promise<void> => {
  // What comes behind an answer that closes the connection could not be answered any more.
  if (isClosing(request.raw.socket))
    throw apiError('request.invalid', 'The connection is being closed.')
  assertRightHost(request.raw, takesHost)
  await limits.countAddress(request)
}

const admit = async (
  request: FastifyRequest,
  reply: FastifyReply,
  options: Options,
): Promise<void> => {
  const { limits, bodies, admitReader, authenticate } = options
  await admitAddress(request, options)
  if (request.is404) throw unknownPath(request.method, request.url)
  const { isOpen, checkCredential } = request.routeOptions.config
  if (isOpen) return counted(request, limits, async () => checkCredential?.(request))
  request.caller = await identify(request, { limits, authenticate })
  await limits.countCaller(request)
  admitReader(request)
  assertPlainBody(request)
  bodies.hold(request, reply)
}

const identify = (
  request: FastifyRequest,
  { authenticate, limits }: Pick<Options, 'authenticate' | 'limits'>,
): Promise<Caller | undefined> =>
  counted(request, limits, async () => authenticate?.(request, () => limits.refuseGuesses(request)))

/** Looks at a credential; a wrong one counts for its address. */
const counted = async <T>(
  request: FastifyRequest,
  limits: RequestLimits,
  look: () => Promise<T>,
): Promise<T> => {
  try {
    return await look()
  } catch (error) {
    await limits.countGuess(request, error)
    throw error
  }
}
