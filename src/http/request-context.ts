/** Sets the request context of the database: the caller of statements, and when their request ends. */
import type { FastifyInstance } from 'fastify'
import { RequestContext, runInRequest } from '../database/request-context.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** What the database needs to know about the request. */
    database: RequestContext
  }
  interface FastifyContextConfig {
    /** A POST that writes nothing, such as a search. */
    isReadOnly?: boolean
  }
}

const readingMethods = new Set(['GET', 'HEAD'])

/** Runs what follows in the context of the request, which ends when its client disconnects. */
export const setRequestContext = (server: FastifyInstance, timeoutMs: number): void => {
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
