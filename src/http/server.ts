/** The HTTP server: reading bodies, request ids, errors and what every answer has in common. */
import { randomUUID } from 'node:crypto'
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { fault } from '../errors.ts'
import type { Observe } from '../observations.ts'
import { answerUnreadable, createErrorReply } from './error-reply.ts'
import { parseExactJson } from './exact-json.ts'
import { noSuchPath, refuseTheRest } from './refuse-the-rest.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Id of the user who asks, for the log; set when the caller is known. */
    userId: number | undefined
    /** When the request came in, by the monotonic clock, in milliseconds. */
    startedAt: number
  }
}

export type Server = FastifyInstance

/** Adds a feature's paths to the server. */
export type Routes = (server: Server) => void

type ServerOptions = {
  readonly basePath: string
  readonly bodyLimit: number
  readonly observe: Observe
  readonly routes: readonly Routes[]
}

/** A server with the routes mounted under the base path; it listens when told to. */
export const createServer = ({ basePath, bodyLimit, observe, routes }: ServerOptions): Server => {
  const answerFault = createErrorReply(observe)
  const server = fastify({
    bodyLimit,
    logger: false,
    // A machine that is busy elsewhere may take its time to mount a few hundred paths.
    pluginTimeout: 60_000,
    // What the router refuses passes no hook, so the headers of every answer are added here.
    frameworkErrors: (error, request, reply) => {
      nameAnswer(request, reply)
      answerFault(error, request, reply)
    },
    clientErrorHandler: answerUnreadable,
    genReqId: requestId,
    // The interface specifies one path with a slash at its end; all take it.
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 200 },
    forceCloseConnections: 'idle',
    return503OnClosing: false,
  })
  server.decorateRequest('userId', undefined)
  server.decorateRequest('startedAt', 0)
  server.addHook('onRequest', async (request, reply) => {
    request.startedAt = performance.now()
    nameAnswer(request, reply)
  })
  server.addHook('onResponse', async (request, reply) => {
    observe({
      kind: 'requestAnswered',
      requestId: request.id,
      method: request.method,
      route: request.routeOptions.url ?? 'unknown',
      status: reply.statusCode,
      ms: performance.now() - request.startedAt,
      userId: request.userId,
    })
  })
  readJsonOnly(server)
  server.setErrorHandler(answerFault)
  server.setNotFoundHandler((request) => {
    throw noSuchPath(request.method, request.url)
  })
  server.register(
    (scope, _options, done) => {
      refuseTheRest(scope)
      for (const add of routes) add(scope)
      done()
    },
    { prefix: basePath },
  )
  return server
}

// An id from a proxy in front is kept, so that one id follows a request through all logs.
const requestId = (request: { headers: Record<string, unknown> }): string => {
  const given = request.headers['x-request-id']
  return typeof given === 'string' && /^[\w.:-]{1,128}$/.test(given) ? given : randomUUID()
}

const nameAnswer = (request: FastifyRequest, reply: FastifyReply): void => {
  reply.header('X-Request-Id', request.id)
  reply.header('X-Content-Type-Options', 'nosniff')
}

const readJsonOnly = (server: Server) => {
  server.removeAllContentTypeParsers()
  server.addContentTypeParser(
    /^application\/(json|[\w.+-]+\+json)\s*(;|$)/i,
    { parseAs: 'buffer' },
    (_request, body, done) => {
      try {
        // Clients send the media type also where they send no body.
        done(null, body.length === 0 ? undefined : parseExactJson(decodeUtf8(body as Buffer)))
      } catch (error) {
        done(error as Error)
      }
    },
  )
}

const decoder = new TextDecoder('utf-8', { fatal: true })

const decodeUtf8 = (body: Buffer): string => {
  try {
    return decoder.decode(body)
  } catch (error) {
    throw fault('request.malformed-json', 'The body is not valid UTF-8.', { cause: error })
  }
}
