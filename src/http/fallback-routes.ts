/**
 * Requests that no feature handles: another method on a known path is a 405 with `Allow`, and an unknown
 * path below the service's own paths is a 404, before it is read as the name of an entity.
 */
import type { FastifyInstance, HTTPMethods } from 'fastify'
import { type ApiError, apiError } from '../errors.ts'
import { shorten } from '../issues.ts'
import { openPath } from './caller-of.ts'

const methods: readonly HTTPMethods[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

// Names that cannot be entity keys, because they belong to the service.
const ownPaths = [
  '/',
  ...['api', 'console', 'assets'].flatMap((name) => [`/${name}`, `/${name}/*`]),
]

/** Maximum length of a parameter of a path; no id or key is longer. */
export const longestParameter = 200

/** A wildcard matches the path of an endpoint whose parameter is too long for it, with all methods but its own. */
const hasTooLong = (url: string): boolean =>
  (url.split('?')[0] ?? '').split('/').some(({ length }) => length > longestParameter)

/** Mounts paths, and the handlers for all other requests. */
export const registerFallbackRoutes = (server: FastifyInstance, mount: () => void): void => {
  const taken = new Map<string, Set<HTTPMethods>>()
  server.addHook('onRoute', ({ routePath, method }) => {
    const known = taken.get(routePath) ?? new Set()
    taken.set(routePath, known)
    for (const one of [method].flat()) known.add(one)
  })
  mount()
  // Paths that are mounted in plugins of their own exist before this one is loaded.
  server.register((scope, _options, done) => {
    const features = new Map([...taken].map(([path, known]) => [path, new Set(known)]))
    for (const [path, known] of features) {
      const allow = methods.filter((method) => known.has(method)).join(', ')
      refuse(scope, path, known, (method, url) =>
        hasTooLong(url)
          ? unknownPath(method, url)
          : apiError('request.method-not-allowed', `${method} is not supported here.`, {
              headers: { Allow: allow },
            }),
      )
    }
    for (const path of ownPaths.filter((own) => !features.has(own)))
      refuse(scope, path, new Set(), unknownPath)
    done()
  })
}

/** The error of an unknown path. */
export const unknownPath = (method: string, url: string): ApiError => {
  const path = url.split('?')[0] ?? ''
  return apiError('request.no-such-path', `There is nothing at ${method} ${shorten(path, 200)}.`)
}

const refuse = (
  server: FastifyInstance,
  url: string,
  known: ReadonlySet<HTTPMethods>,
  errorOf: (method: string, url: string) => ApiError,
): void => {
  server.route({
    url,
    method: methods.filter((method) => !known.has(method)),
    exposeHeadRoute: false,
    // The base path itself is one path, with or without its slash.
    prefixTrailingSlash: 'slash',
    ...openPath,
    // Before the body is read: its content does not matter any more.
    onRequest: async (request) => {
      throw errorOf(request.method, request.url)
    },
    handler: () => undefined,
  })
}
