/** Endpoints for operators and readers of the API: health, metrics, and the API page. */
import { hash, timingSafeEqual } from 'node:crypto'
import { invalidToken, noCredentials } from '../auth/unauthorized.ts'
import { endpoint, openEndpoint, type Readers } from '../http/endpoint/endpoint.ts'
import { ifNoneMatch } from '../http/endpoint/header-parameters.ts'
import { empty, json, media, objectOf } from '../http/openapi/operation.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import { sendAsset } from './asset.ts'
import { type Docs, docsFiles, pagePolicy } from './docs-page.ts'
import type { Health } from './health.ts'

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
