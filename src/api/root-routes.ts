/** `/`: says what answers here and where to go, to a person as a page and to a machine as JSON. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { openPath } from '../http/caller-of.ts'
import { readQuery } from '../http/query-parameters.ts'
import type { Routes } from '../http/server.ts'
import { packageVersion } from '../package-version.ts'
import { escapeHtml, pagePolicy } from './docs-page.ts'

type RootDeps = { readonly basePath: string; readonly projectName: string }

/** Mounts `/`. */
export const rootRoutes = (deps: RootDeps): Routes => {
  const links = linksOf(deps.basePath)
  const description = { name: deps.projectName, service: `docket ${packageVersion()}`, ...links }
  const page = pageHtml(deps, links)
  return (server) => {
    server.get('/', { ...openPath, prefixTrailingSlash: 'slash' }, (request, reply) => {
      readQuery(request.query, {})
      reply.header('Vary', 'Accept')
      return wantsPage(request) ? sendPage(reply, page) : reply.send(description)
    })
  }
}

/** Paths, so that they hold behind every name of the service. */
const linksOf = (basePath: string) => ({
  docs: `${basePath}/api/docs`,
  openapi: `${basePath}/api/openapi.json`,
  entities: `${basePath}/api/entities`,
  health: `${basePath}/api/health/ready`,
})

/** A browser names HTML; what takes anything is a program. */
const wantsPage = ({ headers }: FastifyRequest): boolean =>
  /\btext\/html\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/i.test(headers.accept ?? '')

const sendPage = (reply: FastifyReply, page: string) =>
  reply.type('text/html; charset=utf-8').header('Content-Security-Policy', pagePolicy).send(page)

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
<p>A service of business records, made by Docket ${packageVersion()}. People and programs use it by its API.</p>
<ul>
<li><a href="${links.docs}">API page</a>: every path, with what it takes and answers, to try out</li>
<li><a href="${links.openapi}">OpenAPI document</a>: the same for machines</li>
<li><a href="${links.health}">Health</a>: whether it is ready</li>
</ul>
<p>Requests carry <code>Authorization: Bearer</code> and a token or an API key.</p>
</body>
</html>
`
}
