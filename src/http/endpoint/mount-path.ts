/** What an endpoint declares about its requests and responses, and how it is mounted on the server: its requests are read by its declaration, and the result of its handler is sent. */
import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest, RouteShorthandOptions } from 'fastify'
import type { ErrorCode } from '../../error-kinds.ts'
import type { Answer, Operation } from '../openapi/operation.ts'
import type { Server } from '../server.ts'
import { type Body, noBody } from './body.ts'
import {
  createTextReader,
  headerName,
  type Parameters,
  type PathPlace,
  readQuery,
  type Values,
} from './parameters.ts'

// What every endpoint declares about its requests and responses, and the types of its handler.

/** A request as its handler gets it. */
export type Call<P, Q, H, B> = {
  readonly params: Values<P>
  readonly query: Values<Q>
  readonly headers: Values<H>
  readonly body: B
  readonly request: FastifyRequest
  readonly reply: FastifyReply
}

/** What endpoints of all kinds declare. */
export type Declaration<P, Q, H, B> = {
  readonly method: Operation['method']
  /** Parameters of the path, which contains each in braces. */
  readonly params?: P
  readonly query?: Q
  /** By their names in lower case. */
  readonly headers?: H
  /** By default no body is accepted. */
  readonly body?: Body<B>
  /** Its errors, besides those of its parameters and of every operation. */
  readonly errors?: readonly ErrorCode[]
  /** A POST that writes nothing. */
  readonly isReadOnly?: true
  /** A GET without a HEAD. */
  readonly hasNoHead?: true
}

/** The result of a handler: the value of a response, JSON as text, or the reply that it has sent. */
type Result<A> =
  | JsonText
  | FastifyReply
  | { [K in keyof A]: A[K] extends Answer<infer T> ? T : never }[keyof A]

/** What a handler returns. */
export type Handled<A> = Promise<Result<A>> | Result<A>

/** JSON that PostgreSQL printed; it is sent unchanged. */
export class JsonText {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

/** Sends JSON that is read while it is sent; after an error the connection is closed before the end. */
export const sendJsonParts = (reply: FastifyReply, parts: AsyncIterable<string>): FastifyReply =>
  reply
    .type('application/json; charset=utf-8')
    .send(Readable.from(parts, { objectMode: false, encoding: 'utf8' }))

/** A page of records that PostgreSQL printed. */
export const dataText = (records: readonly string[], rest = ''): JsonText =>
  new JsonText(`{"data":[${records.join(',')}]${rest}}`)

/** Creates the reader of a request: query, headers, path and body, in this order; throws request.invalid. */
export const createReader = <P extends Parameters, Q extends Parameters, H extends Parameters, B>(
  one: Declaration<P, Q, H, B>,
) => {
  // Without a declaration, the types are those of nothing.
  const query = one.query ?? ({} as Q)
  const body = (one.body ?? noBody) as Body<B>
  const readHeaders = createTextReader(one.headers ?? ({} as H), headerName)
  const readPath = createTextReader(one.params ?? ({} as P))
  return (
    request: FastifyRequest,
    reply: FastifyReply,
    entity?: PathPlace['entity'],
  ): Call<P, Q, H, B> => {
    const params = request.params as PathPlace['params']
    return {
      query: readQuery(request.query, query),
      headers: readHeaders(request.headers),
      params: readPath(params, { entity, params }),
      body: body.read(request.body),
      request,
      reply,
    }
  }
}

type Mounted = {
  readonly method: string
  readonly path: string
  readonly params?: Parameters | undefined
  readonly body?: Body | undefined
  readonly isReadOnly?: true | undefined
  readonly hasNoHead?: true | undefined
}

type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>

/** Adds the path to the server; the result of `handle` is sent. */
export const mountPath = (
  server: Server,
  one: Mounted,
  handle: Handler,
  { config, ...options }: RouteShorthandOptions = {},
): void => {
  const { method, body, isReadOnly, hasNoHead } = one
  const route = {
    method: method.toUpperCase(),
    url: routeOf(one),
    ...options,
    config: {
      ...config,
      ...(isReadOnly && { isReadOnly }),
      ...(body?.isStreamed && { isStreamed: true }),
    },
    ...(hasNoHead && { exposeHeadRoute: false }),
    // The base path itself is one path, with or without its slash.
    ...(one.path === '/' && { prefixTrailingSlash: 'slash' as const }),
    handler: async (request: FastifyRequest, reply: FastifyReply) =>
      send(reply, await handle(request, reply)),
  }
  if (!body?.isIgnored && !body?.isStreamed) server.route(route)
  else
    server.register((scope, _options, done) => {
      scope.removeAllContentTypeParsers()
      if (body.isStreamed)
        scope.addContentTypeParser('*', (_request, payload, read) => read(null, payload))
      else
        scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, _body, read) =>
          read(null),
        )
      scope.route(route)
      done()
    })
}

/** `/api/jobs/{id}` for the router: `/api/jobs/:id`, with the pattern of the parameter. */
const routeOf = ({ path, params = {} }: Pick<Mounted, 'path' | 'params'>): string =>
  path.replaceAll(/\{(\w+)\}/g, (_match, name: string) => {
    const { pattern } = params[name] ?? {}
    return `:${name}${pattern === undefined ? '' : `(${pattern})`}`
  })

const send = (reply: FastifyReply, result: unknown) => {
  if (result instanceof JsonText)
    return reply.type('application/json; charset=utf-8').send(result.text)
  // A handler that has answered itself has no result either.
  if (result === undefined && !reply.sent && !reply.hasBegun) return reply.status(204).send()
  return result
}
