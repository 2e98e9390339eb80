/** Paths for whoever operates the service: alive, ready, metrics (docs/operations.md). */
import { hash, timingSafeEqual } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import type { Caller } from '../auth/caller.ts'
import { invalidToken, noCredentials } from '../auth/refusal.ts'
import { administratorRole } from '../definitions/checks/check-role.ts'
import { apiError } from '../errors.ts'
import { callerOf, openPath } from '../http/caller-of.ts'
import { readQuery } from '../http/query-parameters.ts'
import type { Routes } from '../http/server.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import type { Health } from './health.ts'

type OperationDeps = {
  readonly health: Health
  readonly metrics: Metrics
  /** Whether the service is on its way down: it still answers, but wants no new work. */
  readonly isStopping: () => boolean
  /** Who reads the metrics: everybody, administrators, or who has this token. */
  readonly metricsFor: 'everybody' | 'administrators' | { readonly token: string }
}

/** Mounts /api/health/live, /api/health/ready and /api/metrics. */
export const operationRoutes =
  ({ health, metrics, isStopping, metricsFor }: OperationDeps): Routes =>
  (server) => {
    server.get('/api/health/live', openPath, async (request) => {
      readQuery(request.query, {})
      return { status: 'live' }
    })
    server.get('/api/health/ready', openPath, async (request, reply) => {
      readQuery(request.query, {})
      const wait = () => reply.status(503).header('Retry-After', '2')
      if (isStopping()) return wait().send({ status: 'stopping' })
      const status = await health.check()
      return status === 'ready' ? { status } : wait().send({ status })
    })
    server.get('/api/metrics', metricsPathFor(metricsFor), async (request, reply) => {
      if (metricsFor === 'administrators') assertAdministrator(callerOf(request))
      readQuery(request.query, {})
      return reply.type(metrics.contentType).send(await metrics.print())
    })
  }

const metricsPathFor = (readers: OperationDeps['metricsFor']) => {
  if (readers === 'administrators') return {}
  if (readers === 'everybody') return openPath
  const checkCredential = ({ headers }: FastifyRequest) =>
    assertToken(headers.authorization, readers.token)
  return { ...openPath, config: { ...openPath.config, checkCredential } }
}

const assertAdministrator = ({ roleKey }: Caller): void => {
  if (roleKey !== administratorRole)
    throw apiError('caller.forbidden', `Only the role "${administratorRole}" may read the metrics.`)
}

const assertToken = (authorization: string | undefined, token: string): void => {
  if (authorization === undefined) throw noCredentials('The header Authorization is missing.')
  const digest = (text: string) => hash('sha256', text, 'buffer')
  // Digests are of one length, and comparing them takes the same time whatever they hold.
  if (!timingSafeEqual(digest(authorization), digest(`Bearer ${token}`)))
    throw invalidToken('The token is not METRICS_TOKEN.')
}
