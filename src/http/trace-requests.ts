/** A span for each request, below that of its caller (header `traceparent`). */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type Span, tracerInUse } from '../spans.ts'

declare module 'fastify' {
  interface FastifyRequest {
    span: Span | undefined
  }
}

/** What is known of a request at its end: the entity, and the code of its error. */
type Described = (request: FastifyRequest) => { readonly entity?: string; readonly code?: string }

/** Adds nothing to a server that is not traced. */
export const traceRequests = (server: FastifyInstance, describe: Described): void => {
  const tracer = tracerInUse()
  if (!tracer) return
  server.decorateRequest('span', undefined)
  server.addHook('onRequest', (request, reply, done) => {
    const { method, headers, routeOptions } = request
    const route = routeOptions.url ?? 'unknown'
    const { traceparent } = headers
    const attributes = {
      'http.request.method': method,
      'http.route': route,
      'url.scheme': request.protocol,
      'docket.request.id': request.id,
    }
    const parent = typeof traceparent === 'string' ? traceparent : undefined
    const span = tracer.begin({ name: `${method} ${route}`, kind: 'server', attributes }, parent)
    request.span = span
    reply.raw.once('close', () => {
      const { statusCode } = reply.raw
      const { entity, code = String(statusCode) } = describe(request)
      const status = { 'http.response.status_code': statusCode }
      const isFailed = statusCode >= 500
      span.end({
        attributes: entity === undefined ? status : { ...status, 'docket.entity': entity },
        ...(isFailed && { error: code }),
      })
    })
    span.run(done)
  })
  // Reading the body leaves the asynchronous context.
  server.addHook('preValidation', (request, _reply, done) => {
    if (request.span) request.span.run(done)
    else done()
  })
}
