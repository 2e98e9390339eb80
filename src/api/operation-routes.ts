/** Paths for whoever operates the service: alive, ready, metrics (docs/operations.md). */
import type { Pool } from '../database/pool.ts'
import { readQuery } from '../http/query-parameters.ts'
import type { Routes } from '../http/server.ts'
import type { Metrics } from '../telemetry/metrics.ts'

type OperationParts = {
  readonly pool: Pool
  readonly metrics: Metrics
  /** Whether the service is on its way down: it still answers, but wants no new work. */
  readonly isStopping: () => boolean
}

/** Mounts /api/health/live, /api/health/ready and /api/metrics. */
export const operationRoutes =
  ({ pool, metrics, isStopping }: OperationParts): Routes =>
  (server) => {
    server.get('/api/health/live', async (request) => {
      readQuery(request.query, {})
      return { status: 'live' }
    })
    server.get('/api/health/ready', async (request, reply) => {
      readQuery(request.query, {})
      const wait = () => reply.status(503).header('Retry-After', '2')
      if (isStopping()) return wait().send({ status: 'stopping' })
      try {
        await pool.query('SELECT 1')
        return { status: 'ready' }
      } catch {
        return wait().send({ status: 'database unavailable' })
      }
    })
    server.get('/api/metrics', async (request, reply) => {
      readQuery(request.query, {})
      return reply.type(metrics.contentType).send(await metrics.print())
    })
  }
