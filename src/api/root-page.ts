/** `/`: leads browsers to the console, and tells programs what this service is and where its parts are. */
import type { FastifyRequest } from 'fastify'
import { readAccept } from '../http/accept.ts'
import { openEndpoint } from '../http/endpoint/endpoint.ts'
import { empty, type JsonSchema, json, objectOf } from '../http/openapi/operation.ts'
import { packageVersion } from '../package-version.ts'

export type RootDeps = { readonly basePath: string; readonly projectName: string }

const path: JsonSchema = { type: 'string', format: 'uri-reference' }

const description = objectOf({
  name: { type: 'string' },
  service: { type: 'string' },
  console: path,
  docs: path,
  openapi: path,
  entities: path,
  health: path,
})

/** The root of the service. */
export const rootEndpoint = openEndpoint({
  tag: 'Service',
  method: 'get',
  path: '/',
  id: 'getRoot',
  summary: 'The name of the service, and the paths of its parts',
  answers: {
    200: json('For programs.', description),
    303: empty('To the console, where `Accept` prefers text/html to JSON.', ['Location']),
  },
  handle: ({ request, reply }, { basePath, projectName }: RootDeps) => {
    const links = linksOf(basePath)
    reply.header('Vary', 'Accept')
    if (wantsPage(request)) return reply.redirect(links.console, 303)
    return { name: projectName, service: `docket ${packageVersion()}`, ...links }
  },
})

/** Paths instead of URLs, because the service may have several host names. */
const linksOf = (basePath: string) => ({
  console: `${basePath}/console/`,
  docs: `${basePath}/api/docs`,
  openapi: `${basePath}/api/openapi.json`,
  entities: `${basePath}/api/entities`,
  health: `${basePath}/api/health/ready`,
})

/** A browser names HTML; a client that accepts anything is a program. */
const wantsPage = ({ headers }: FastifyRequest): boolean => {
  const accepted = readAccept(headers.accept)
  return (accepted.get('text/html') ?? 0) > (accepted.get('application/json') ?? 0)
}
