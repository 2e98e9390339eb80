/** Endpoints for operators and readers of the API: health, metrics, and the API page. */
import { hash, timingSafeEqual } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { invalidToken, noCredentials } from '../auth/unauthorized.ts'
import type { Pool } from '../database/pool.ts'
import { runOutsideRequest } from '../database/request-context.ts'
import type { Project } from '../definitions/load-project.ts'
import { readAccept } from '../http/accept.ts'
import { endpoint, openEndpoint, type Readers } from '../http/endpoint/endpoint.ts'
import { ifNoneMatch } from '../http/endpoint/parameters.ts'
import { empty, type JsonSchema, json, media, objectOf } from '../http/openapi/operation.ts'
import { shareRun } from '../limit.ts'
import type { Observation } from '../observations.ts'
import { packageVersion } from '../package-version.ts'
import { findMissing } from '../schema-sync/current-schema.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import { sendAsset } from './asset.ts'
import { type Docs, docsFiles, pagePolicy } from './docs-page.ts'

export type OperationDeps = {
  readonly health: Health
  readonly metrics: Metrics
  /** Whether the service is stopping: it still answers, but should get no new requests. */
  readonly isStopping: () => boolean
  /** Who may read the metrics: everybody, administrators, or those who have this token. */
  readonly metricsFor: 'everybody' | 'administrators' | { readonly token: string }
}

export type DocsDeps = { readonly docs: Docs }

const tag = 'Service'

const status = (...words: string[]) => objectOf({ status: { type: 'string', enum: words } })

const notModified = empty('Unchanged since it was read.', ['ETag'])

/** Health and metrics. */
export const operationEndpoints = [
  openEndpoint({
    tag,
    method: 'get',
    path: '/api/health/live',
    id: 'getLive',
    summary: 'Whether the process answers',
    answers: { 200: json('The process answers.', status('live')) },
    handle: (_call, _deps: OperationDeps) => ({ status: 'live' }),
  }),
  openEndpoint({
    tag,
    method: 'get',
    path: '/api/health/ready',
    id: 'getReady',
    summary: 'Whether the service accepts requests',
    answers: {
      200: json('The service accepts requests.', status('ready')),
      503: json(
        'The database is unavailable, or the service is stopping.',
        status('stopping', 'database unavailable'),
        ['Retry-After'],
      ),
    },
    handle: async ({ reply }, { health, isStopping }: OperationDeps) => {
      const found = isStopping() ? 'stopping' : await health.check()
      if (found !== 'ready') reply.status(503).header('Retry-After', '2')
      return { status: found }
    },
  }),
  openEndpoint({
    tag,
    method: 'get',
    path: '/api/metrics',
    id: 'getMetrics',
    summary: 'Metrics for Prometheus',
    answers: { 200: media('All metrics.', 'text/plain') },
    readers: ({ metricsFor }: OperationDeps): Readers =>
      typeof metricsFor === 'string'
        ? metricsFor
        : {
            checkCredential: ({ headers }) => assertToken(headers.authorization, metricsFor.token),
          },
    handle: async ({ reply }, { metrics }: OperationDeps) =>
      reply.type(metrics.contentType).send(await metrics.print()),
  }),
]

/** The OpenAPI document and its page; the files of the page are not part of the API. */
export const docsEndpoints = [
  endpoint({
    tag,
    who: 'caller',
    isByRights: true,
    method: 'get',
    path: '/api/openapi.json',
    id: 'getOpenApi',
    summary: 'This document',
    headers: { ifNoneMatch },
    answers: {
      200: json('An OpenAPI 3.1 document.', { type: 'object' }, ['ETag']),
      304: notModified,
    },
    handle: ({ caller, request, reply }, { docs }: DocsDeps) =>
      sendAsset(docs.documentFor(caller.roleKey), request, reply),
  }),
  openEndpoint({
    tag,
    method: 'get',
    path: '/api/docs',
    id: 'getDocs',
    summary: 'This document as a page',
    headers: { ifNoneMatch },
    answers: {
      200: media('The page.', 'text/html', { headers: ['ETag'] }),
      304: notModified,
    },
    handle: ({ request, reply }, { docs }: DocsDeps) =>
      sendAsset(docs.page, request, reply.header('Content-Security-Policy', pagePolicy)),
  }),
  ...docsFiles.map((name) => ({
    ...openEndpoint({
      tag,
      method: 'get',
      path: `/api/docs/${name}`,
      id: name,
      summary: '',
      answers: { 200: media('The file.', '*/*') },
      handle: async ({ request, reply }, { docs }: DocsDeps) =>
        sendAsset(await docs.file(name), request, reply),
    }),
    describe: () => [],
  })),
]

const assertToken = (authorization: string | undefined, token: string): void => {
  if (authorization === undefined) throw noCredentials('The header Authorization is missing.')
  const digest = (text: string) => hash('sha256', text, 'buffer')
  // Digests have one length, and comparing them takes the same time whatever their content.
  if (!timingSafeEqual(digest(authorization), digest(`Bearer ${token}`)))
    throw invalidToken('The token is not METRICS_TOKEN.')
}

// `/`: leads browsers to the console, and says to programs what this service is and where its parts are.

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

// Whether the service can do its work: the database answers, accepts changes, and has the columns of the
// definitions.

type HealthStatus =
  | 'ready'
  | 'database unavailable'
  | 'database read-only'
  | 'database of another version'

type Health = {
  readonly check: () => Promise<HealthStatus>
  /** Receives responses that report missing columns. */
  readonly observe: (observation: Observation) => void
}

type Options = {
  /** A separate pool, so that requests that wait for connections do not make the service unready. */
  readonly pool: Pool
  readonly project: Project
}

/** Concurrent checks share one result. */
export const createHealth = ({ pool, project }: Options): Health => {
  let mayLackColumns = false
  const look = async (): Promise<HealthStatus> => {
    try {
      if (await isReadOnly(pool)) return 'database read-only'
      if (mayLackColumns && (await findMissing(pool, project.catalog)).length > 0)
        return 'database of another version'
      mayLackColumns = false
      return 'ready'
    } catch {
      return 'database unavailable'
    }
  }
  return {
    check: shareRun(() => runOutsideRequest(look)),
    observe: (observation) => {
      if (observation.kind === 'requestRefused' && observation.code === 'database.changed')
        mayLackColumns = true
    },
  }
}

/** A connection keeps the settings of its start, so a read-only one is reopened. */
const isReadOnly = async (pool: Pool): Promise<boolean> => {
  const connection = await pool.connect()
  let mayWrite = false
  try {
    const { rows } = await connection.query<{ transaction_read_only: string }>(
      'SHOW transaction_read_only',
    )
    mayWrite = rows[0]?.transaction_read_only === 'off'
    return !mayWrite
  } finally {
    connection.release(!mayWrite)
  }
}
