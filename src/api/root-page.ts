/** `/`: says what this service is and where its parts are, as a page for people and as JSON for programs. */
import type { FastifyRequest } from 'fastify'
import { openEndpoint } from '../http/endpoint/endpoint.ts'
import { type JsonSchema, jsonContent, objectOf } from '../http/openapi/operation.ts'
import { packageVersion } from '../package-version.ts'
import { escapeHtml, pagePolicy } from './docs-page.ts'

export type RootDeps = { readonly basePath: string; readonly projectName: string }

const path: JsonSchema = { type: 'string', format: 'uri-reference' }

const description = objectOf({
  name: { type: 'string' },
  service: { type: 'string' },
  ...{ docs: path, openapi: path, entities: path, health: path },
})

/** The root of the service. */
export const rootEndpoint = openEndpoint({
  tag: 'Service',
  method: 'get',
  path: '/',
  id: 'getRoot',
  summary: 'What answers here, and where to go',
  answers: {
    200: {
      description: 'As a page where `Accept` names text/html.',
      content: { ...jsonContent(description), 'text/html': { schema: { type: 'string' } } },
    },
  },
  handle: ({ request, reply }, deps: RootDeps) => {
    const links = linksOf(deps.basePath)
    reply.header('Vary', 'Accept')
    if (!wantsPage(request))
      return { name: deps.projectName, service: `docket ${packageVersion()}`, ...links }
    return reply
      .type('text/html; charset=utf-8')
      .header('Content-Security-Policy', pagePolicy)
      .send(pageHtml(deps, links))
  },
})

/** Paths instead of URLs, because the service may have several host names. */
const linksOf = (basePath: string) => ({
  docs: `${basePath}/api/docs`,
  openapi: `${basePath}/api/openapi.json`,
  entities: `${basePath}/api/entities`,
  health: `${basePath}/api/health/ready`,
})

/** A browser names HTML; a client that accepts anything is a program. */
const wantsPage = ({ headers }: FastifyRequest): boolean =>
  /\btext\/html\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/i.test(headers.accept ?? '')

const pageHtml = ({ projectName }: RootDeps, links: ReturnType<typeof linksOf>): string => {
  const name = escapeHtml(projectName)
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${name}</title>
</head>
<body>
<h1>${name}</h1>
<p>A service for business records, run by Docket ${packageVersion()}. People and programs use it by its API.</p>
<ul>
<li><a href="${links.docs}">API page</a>: every path with its requests and responses, to try out</li>
<li><a href="${links.openapi}">OpenAPI document</a>: the same for machines</li>
<li><a href="${links.health}">Health</a>: whether it is ready</li>
</ul>
<p>Requests carry <code>Authorization: Bearer</code> and a token or an API key.</p>
</body>
</html>
`
}
