/**
 * The checks before a body is read: the request is addressed to this service and to an existing path, the
 * caller is known, and no limit is exceeded. Of an unknown caller only the head of the request is read.
 */
import type { IncomingMessage } from 'node:http'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Caller } from '../auth/caller.ts'
import { invalidToken } from '../auth/unauthorized.ts'
import { apiError } from '../errors.ts'
import { shorten } from '../issues.ts'
import type { CrossOrigin } from './cross-origin.ts'
import { isClosing } from './error-reply.ts'
import { unknownPath } from './fallback-routes.ts'
import type { AdmitReader, BodyLimits } from './limits/limit-memory.ts'
import type { RequestLimits } from './limits/limit-requests.ts'

/**
 * The caller of a request; an error 401 if there is none. `beforeAsking` is called before any query or
 * computation for a credential that is not cached, and may throw.
 */
export type AuthenticateRequest = (
  request: FastifyRequest,
  beforeAsking?: () => Promise<void>,
) => Promise<Caller>

type Options = {
  readonly authenticate: AuthenticateRequest | undefined
  readonly takesHost: IsAcceptedHost | undefined
  /** Answers a preflight request of a browser, which needs no caller; false if the request is not one. */
  readonly answerPreflight: CrossOrigin['answerPreflight']
  readonly limits: RequestLimits
  readonly bodies: BodyLimits
  readonly admitReader: AdmitReader
}

/** The possible checks for a request that the router rejects: its host, and its address. */
export type AdmitUnrouted = (request: FastifyRequest) => Promise<void>

/** Adds the checks to every path of a server. */
export const admitRequests = (server: FastifyInstance, options: Options): AdmitUnrouted => {
  server.decorateRequest('caller', undefined)
  server.addHook('onRequest', async (request, reply) => {
    try {
      return await admit(request, reply, options)
    } catch (error) {
      // A short body has arrived with the head: one turn later it is read, and the connection can stay.
      if (!request.raw.complete) await nextTurn()
      throw error
    }
  })
  server.addHook('onRoute', (route) => {
    const { handler } = route
    if (route.config?.takesCredential)
      route.handler = async function (request, reply) {
        await options.limits.refuseGuesses(request)
        return counted(request, options.limits, async () => {
          const answer = await handler.call(this, request, reply)
          // The answer has been sent: only further requests are rejected.
          if (request.hasWrongCredential)
            await options.limits.countGuess(request, wrongCredential).catch(() => undefined)
          return answer
        })
      }
  })
  return (request) => admitAddress(request, options)
}

const wrongCredential = invalidToken('The credential is wrong.')

const admitAddress = async (
  request: FastifyRequest,
  { limits, takesHost }: Options,
): Promise<void> => {
  // Further requests behind a response that closes the connection could not be answered.
  if (isClosing(request.raw.socket))
    throw apiError('request.invalid', 'The connection is being closed.')
  assertRightHost(request.raw, takesHost)
  await limits.countAddress(request)
}

const admit = async (
  request: FastifyRequest,
  reply: FastifyReply,
  options: Options,
): Promise<FastifyReply | undefined> => {
  const { limits, bodies, admitReader, authenticate, answerPreflight } = options
  await admitAddress(request, options)
  if (answerPreflight(request, reply)) return reply
  if (request.is404) throw unknownPath(request.method, request.url)
  const { isOpen, checkCredential } = request.routeOptions.config
  if (isOpen) {
    await counted(request, limits, async () => checkCredential?.(request))
    return undefined
  }
  request.caller = await identify(request, { limits, authenticate })
  await limits.countCaller(request)
  admitReader(request)
  assertPlainBody(request)
  if (!request.routeOptions.config.isStreamed) bodies.hold(request, reply)
  return undefined
}

const identify = (
  request: FastifyRequest,
  { authenticate, limits }: Pick<Options, 'authenticate' | 'limits'>,
): Promise<Caller | undefined> =>
  counted(request, limits, async () => authenticate?.(request, () => limits.refuseGuesses(request)))

/** Checks a credential; a wrong one counts for its address. */
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

/** Whether a service answers to a host name, without its port. */
export type IsAcceptedHost = (hostname: string) => boolean

/** Throws if the header Host occurs twice (RFC 9112, 3.2), or names another host. */
const assertRightHost = (
  { rawHeaders, headers }: IncomingMessage,
  takesHost: IsAcceptedHost | undefined,
): void => {
  let hosts = 0
  // Names and values alternate. Node silently keeps the first of several.
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts += 1
  }
  if (hosts > 1) throw apiError('request.invalid', 'The header Host is given more than once.')
  if (!takesHost || headers.host === undefined) return
  const hostname = /^(\[[^\]]*\]|[^:]*)(?::\d*)?$/.exec(headers.host)?.[1]
  if (hostname === undefined || !takesHost(hostname.replace(/^\[|\]$/g, '').toLowerCase()))
    throw apiError(
      'request.misdirected',
      'With the development issuer the service answers only under names of this machine.',
    )
}

/** Throws if the body is compressed, or is text in another encoding than UTF-8. */
const assertPlainBody = ({ headers }: FastifyRequest): void => {
  const coding = headers['content-encoding']
  if (coding !== undefined && coding.trim().toLowerCase() !== 'identity')
    // RFC 9110, 15.5.16: the header says what would be accepted.
    throw apiError('request.not-json', `The body is encoded (${shorten(coding, 40)}).`, {
      headers: { 'Accept-Encoding': 'identity' },
    })
  const [, charset] = /;\s*charset\s*=\s*"?([^";\s]*)/i.exec(headers['content-type'] ?? '') ?? []
  if (charset !== undefined && !/^utf-?8$/i.test(charset))
    throw apiError('request.not-json', `The body is in ${shorten(charset, 40)}, not in UTF-8.`)
}
