/**
 * Mounts an endpoint on the server: reads its requests by its declaration, and sends the result of its
 * handler.
 */
import type { FastifyReply, FastifyRequest, RouteShorthandOptions } from 'fastify'
import type { Server } from '../server.ts'
import { type Body, noBody } from './body.ts'
import { type Call, type Declaration, JsonText } from './declaration.ts'
import {
  createTextReader,
  headerName,
  type Parameters,
  type PathPlace,
  readQuery,
} from './parameters.ts'

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
