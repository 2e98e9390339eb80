/**
 * Pages of other origins (CORS): those that the operator names may call the API with a token of their own. They never get the
 * cookie of a session, because no answer allows credentials.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'

export type CrossOrigin = {
  /** Adds the headers that say whether the page that has sent a request may read the answer. */
  readonly mark: (request: FastifyRequest, reply: FastifyReply) => void
  /** Answers a preflight request of a browser; false if the request is not one, or its page is of another origin. */
  readonly answerPreflight: (request: FastifyRequest, reply: FastifyReply) => boolean
  /** Adds `Origin` to the header Vary. */
  readonly vary: (reply: FastifyReply) => void
}

const methods = 'GET, HEAD, POST, PUT, PATCH, DELETE'
const keptSeconds = 600

// Without this list a page reads only a few headers, such as Content-Type.
const exposed = [
  'Allow',
  'Accept-Ranges',
  'Content-Disposition',
  'Content-Range',
  'Content-Language',
  'Content-Length',
  'Content-Location',
  'Docket-Position',
  'ETag',
  'Idempotency-Replayed',
  'Location',
  'Retry-After',
  'WWW-Authenticate',
  'X-Marked-At',
  'X-Missing-Scripts',
  'X-Omitted-Columns',
  'X-Request-Id',
  'X-Row-Count',
].join(', ')

// Names of headers, separated by commas.
const headerNames = /^[\w!#$%&'*+.^`|~-]+(\s*,\s*[\w!#$%&'*+.^`|~-]+)*$/

/** Creates the answers to pages of these origins; without origins no answer has a header for them. */
export const createCrossOrigin = (origins: readonly string[]): CrossOrigin => {
  const known = new Set(origins)
  const originOf = ({ headers: { origin } }: FastifyRequest) =>
    origin !== undefined && known.has(origin) ? origin : undefined
  if (known.size === 0)
    return { mark: () => undefined, answerPreflight: () => false, vary: () => undefined }
  return {
    mark: (request, { raw }) => {
      const origin = originOf(request)
      // On the answer itself: exports and streams write their heads without the framework.
      raw.setHeader('Vary', 'Origin')
      if (origin === undefined) return
      raw.setHeader('Access-Control-Allow-Origin', origin)
      raw.setHeader('Access-Control-Expose-Headers', exposed)
    },
    answerPreflight: (request, reply) => {
      const { method, headers } = request
      const isAsked = headers['access-control-request-method'] !== undefined
      if (method !== 'OPTIONS' || !isAsked || originOf(request) === undefined) return false
      const wanted = headers['access-control-request-headers']
      reply
        .status(204)
        .headers({
          'Access-Control-Allow-Methods': methods,
          ...(wanted !== undefined &&
            headerNames.test(wanted) && { 'Access-Control-Allow-Headers': wanted }),
          'Access-Control-Max-Age': String(keptSeconds),
          Vary: 'Access-Control-Request-Method, Access-Control-Request-Headers',
        })
        .send()
      return true
    },
    vary: (reply) => {
      const others = String(reply.getHeader('vary'))
      if (!/\bOrigin\b/.test(others)) reply.header('Vary', `${others}, Origin`)
    },
  }
}
