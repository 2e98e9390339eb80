/** The HTTP server: reading bodies, request ids, errors and what every answer has in common. */
import { randomUUID } from 'node:crypto'
import fastify, { type FastifyInstance, type FastifyRequest } from 'fastify'
import { fault } from '../errors.ts'
import type { Observe } from '../observations.ts'
import { createErrorReply } from './error-reply.ts'
import { parseExactJson } from './exact-json.ts'

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
  const server = fastify({
    bodyLimit,
    logger: false,
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
    reply.header('X-Request-Id', request.id)
    reply.header('X-Content-Type-Options', 'nosniff')
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
  server.setErrorHandler(createErrorReply(observe))
  server.setNotFoundHandler((request) => {
    throw missing(server, request)
  })
  server.register(
    (scope, _options, done) => {
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

const readJsonOnly = (server: Server) => {
  server.removeAllContentTypeParsers()
  server.addContentTypeParser(
    /^application\/(json|[\w.+-]+\+json)\s*(;|$)/i,
    { parseAs: 'buffer' },
    (_request, body, done) => {
      try {
        done(null, parseExactJson(decodeUtf8(body as Buffer)))
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

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

const missing = (server: Server, request: FastifyRequest) => {
  const path = request.url.split('?')[0] ?? ''
  const allowed = methods.filter((method) => server.findRoute({ url: path, method }) !== null)
  return allowed.length > 0
    ? fault('request.method-not-allowed', `${request.method} is not taken here.`, {
        headers: { Allow: allowed.join(', ') },
      })
    : fault('request.no-such-path', `There is nothing at ${request.method} ${path.slice(0, 200)}.`)
}
