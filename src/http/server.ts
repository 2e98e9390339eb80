/** The HTTP server: reading bodies, request ids, errors, and the common headers of responses. */
import { randomUUID } from 'node:crypto'
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { RequestContext, runInRequest } from '../database/request-context.ts'
import type { ErrorCode } from '../error-kinds.ts'
import { apiError } from '../errors.ts'
import type { Observe } from '../observations.ts'
import { beginWaiting, endWaiting } from '../waiting-requests.ts'
import {
  type AdmitUnrouted,
  type AuthenticateRequest,
  admitRequests,
  type IsAcceptedHost,
} from './admit-requests.ts'
import { type CrossOrigin, createCrossOrigin } from './cross-origin.ts'
import { answerUnreadable, createErrorReply } from './error-reply.ts'
import { longestParameter, registerFallbackRoutes } from './fallback-routes.ts'
import { parseLosslessJson } from './json/lossless-json.ts'
import { limitConnections } from './limits/limit-connections.ts'
import { type BodyLimits, limitAnswers, limitBodies } from './limits/limit-memory.ts'
import { limitRequests } from './limits/limit-requests.ts'
import {
  createLimitReporter,
  isProxy,
  type ServerLimits,
  unlimited,
} from './limits/server-limits.ts'
import { traceRequests } from './trace-requests.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** When the request arrived, by the monotonic clock, in milliseconds. */
    startedAt: number
    /** Code of the error response. */
    errorCode: ErrorCode | undefined
    /** What the database needs to know about the request. */
    database: RequestContext
  }
  interface FastifyContextConfig {
    /** A POST that writes nothing, such as a search. */
    isReadOnly?: boolean
    /** Its body is not held in memory: the handler limits it. */
    isStreamed?: boolean
  }
  interface FastifyReply {
    /** Whether an answer was given, even if its client has left: `sent` says so only when the hooks before sending have ended. */
    hasBegun: boolean
  }
}

export type Server = FastifyInstance

type ServerOptions = {
  readonly basePath: string
  readonly bodyLimit: number
  /** Time that the database has to answer a request, in milliseconds. */
  readonly timeoutMs?: number
  readonly observe: Observe
  /** Adds the paths, below the base path. */
  readonly mount: (server: Server) => void
  /** The caller of a request; without it only open paths answer. */
  readonly authenticate?: AuthenticateRequest
  /** Host names under which the service answers; without it all. */
  readonly takesHost?: IsAcceptedHost | undefined
  readonly limits?: ServerLimits
  /** Origins whose pages may call the service, besides its own. */
  readonly origins?: readonly string[] | undefined
}

const noteBegin = (
  server: Server,
  nameAnswer: (request: FastifyRequest, reply: FastifyReply) => void,
): void => {
  server.decorateRequest('startedAt', 0)
  server.decorateRequest('errorCode', undefined)
  server.decorateReply('hasBegun', false)
  server.addHook('onRequest', async (request, reply) => {
    request.startedAt = performance.now()
    nameAnswer(request, reply)
    if (!request.routeOptions.config.isStreamed) beginWaiting(request)
  })
  server.addHook('onSend', (request, reply, _payload, done) => {
    reply.hasBegun = true
    endWaiting(request)
    done()
  })
  // Of an answer that is sent without the hooks before, and for a client that left.
  server.addHook('onResponse', (request, _reply, done) => {
    endWaiting(request)
    done()
  })
}

/** Reports every answer, also one that its client did not wait for. */
const reportAnswers = (server: Server, observe: Observe): void => {
  server.addHook('onResponse', async (request, reply) => {
    observe({
      kind: 'requestAnswered',
      requestId: request.id,
      method: request.method,
      route: request.routeOptions.url ?? 'unknown',
      status: reply.statusCode,
      ms: performance.now() - request.startedAt,
      userId: request.caller?.userId,
      ...whatOf(request),
    })
  })
}

/** A server with its paths below the base path; it does not listen yet. */
export const createServer = (options: ServerOptions): Server => {
  const {
    basePath,
    observe,
    mount,
    timeoutMs = 30_000,
    authenticate,
    takesHost,
    limits = unlimited,
  } = options
  const answerError = createErrorReply(observe)
  const crossOrigin = createCrossOrigin(options.origins ?? [])
  const nameAnswer = (request: FastifyRequest, reply: FastifyReply) => {
    crossOrigin.mark(request, reply)
    reply.header('X-Request-Id', request.id)
    reply.header('X-Content-Type-Options', 'nosniff')
  }
  const server = openServer(options, {
    answerError,
    nameAnswer,
    admitUnrouted: (request) => admitUnrouted(request),
  })
  noteBegin(server, nameAnswer)
  const limiting = { limits, tellReached: createLimitReporter(observe) }
  limitConnections(server, limiting)
  setRequestContext(server, timeoutMs)
  traceRequests(server, whatOf)
  const bodies = limitBodies(options.bodyLimit)
  const admitReader = limitAnswers(server)
  const requestLimits = limitRequests(server, limiting)
  const admitUnrouted = admitRequests(server, {
    authenticate,
    takesHost,
    answerPreflight: crossOrigin.answerPreflight,
    limits: requestLimits,
    bodies,
    admitReader,
  })
  server.addHook('onSend', (_request, reply, _payload, done) => {
    keepPrivate(reply)
    crossOrigin.vary(reply)
    done()
  })
  reportAnswers(server, observe)
  readJsonOnly(server, bodies)
  server.setErrorHandler(answerError)
  server.register(
    (scope, _options, done) => {
      registerFallbackRoutes(scope, () => mount(scope))
      done()
    },
    { prefix: basePath },
  )
  return server
}

/** What a line of the log contains besides the pattern of the path: the entity, and the error. */
const whatOf = ({ params, errorCode }: FastifyRequest) => {
  const { entityKey, entityType } = (params ?? {}) as Readonly<Record<string, string | undefined>>
  const entity = entityKey ?? entityType
  return {
    // Names of entities are not longer; any other text in their place is not logged.
    ...(entity !== undefined && /^[a-z][a-z0-9_]{0,62}$/.test(entity) && { entity }),
    ...(errorCode !== undefined && { code: errorCode }),
  }
}

type AnswerError = ReturnType<typeof createErrorReply>

/** What answers requests that the router rejects. */
type Unrouted = {
  readonly answerError: AnswerError
  readonly nameAnswer: CrossOrigin['mark']
  readonly admitUnrouted: AdmitUnrouted
}

const openServer = (
  { bodyLimit, limits = unlimited }: ServerOptions,
  { answerError, nameAnswer, admitUnrouted }: Unrouted,
): Server =>
  fastify({
    bodyLimit,
    logger: false,
    // On a busy machine, mounting a few hundred paths may take long.
    pluginTimeout: 60_000,
    // Requests that the router rejects run no hook, so the work of the first hooks is done here.
    frameworkErrors: (error, request, reply) => {
      nameAnswer(request, reply)
      const answer = (reason: unknown) => answerError(reason, request, reply)
      admitUnrouted(request).then(() => answer(error), answer)
    },
    clientErrorHandler: answerUnreadable,
    genReqId: requestId,
    // The interface specifies one path with a slash at its end; all paths accept it.
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: longestParameter },
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    ...(limits.proxies && { trustProxy: (address) => isProxy(limits, address) }),
    ...(limits.bodyTimeoutMs > 0 && {
      requestTimeout: limits.bodyTimeoutMs,
      http: {
        // Its default is five minutes, and the other must not be longer.
        requestTimeout: limits.bodyTimeoutMs,
        headersTimeout: limits.bodyTimeoutMs,
        // How often timeouts are checked.
        connectionsCheckingInterval: Math.min(5000, limits.bodyTimeoutMs / 2),
      },
    }),
  })

/** Data is private: a cache may store it only with an entity tag, for one caller, and must ask each time. */
const keepPrivate = (reply: FastifyReply): void => {
  if (reply.hasHeader('cache-control')) return
  reply.header('Cache-Control', reply.hasHeader('etag') ? 'private, no-cache' : 'no-store')
  const others = reply.getHeader('vary')
  reply.header('Vary', [others, 'Authorization, Cookie'].filter(Boolean).join(', '))
}

// An id from a proxy in front is kept, so that one id follows a request through all logs.
const requestId = (request: { headers: Record<string, unknown> }): string => {
  const given = request.headers['x-request-id']
  return typeof given === 'string' && /^[\w.:-]{1,128}$/.test(given) ? given : randomUUID()
}

const readJsonOnly = (server: Server, bodies: BodyLimits) => {
  server.removeAllContentTypeParsers()
  server.addContentTypeParser(
    /^application\/(json|[\w.+-]+\+json)\s*(;|$)/i,
    { parseAs: 'buffer' },
    (request, body, done) => {
      try {
        bodies.hasCome(request, body.length)
        // Clients send the media type also without a body.
        done(null, body.length === 0 ? undefined : parseLosslessJson(decodeUtf8(body as Buffer)))
      } catch (error) {
        done(error as Error)
      }
    },
  )
  // An empty body counts as no body, whatever its media type; clients send forms of length 0.
  server.addContentTypeParser('*', (request, payload, done) => {
    payload.once('data', () => done(notJson()))
    payload.once('end', () => {
      bodies.hasCome(request, 0)
      done(null, undefined)
    })
    payload.once('error', done)
  })
}

const notJson = () =>
  apiError('request.not-json', 'The body is of another media type than application/json.')

const decoder = new TextDecoder('utf-8', { fatal: true })

const decodeUtf8 = (body: Buffer): string => {
  try {
    return decoder.decode(body)
  } catch (error) {
    throw apiError('request.malformed-json', 'The body is not valid UTF-8.', { cause: error })
  }
}

const readingMethods = new Set(['GET', 'HEAD'])

/** Runs what follows in the context of the request, which ends when its client disconnects. */
const setRequestContext = (server: FastifyInstance, timeoutMs: number): void => {
  server.decorateRequest('database')
  server.addHook('onRequest', (request, reply, done) => {
    const isReadOnly = request.routeOptions.config.isReadOnly ?? readingMethods.has(request.method)
    // Until the caller is known.
    const callerKey = `address ${request.ip}`
    const context = new RequestContext({ callerKey, isReadOnly, timeoutMs })
    request.database = context
    reply.raw.once('close', () => {
      if (!reply.raw.writableFinished) context.disconnect()
      context.finish()
    })
    runInRequest(context, done)
  })
  // Reading the body leaves the asynchronous context.
  server.addHook('preValidation', (request, _reply, done) => runInRequest(request.database, done))
}
