/** Paths for whoever operates the service: alive, ready, metrics (docs/operations.md). */
import type { Pool } from '../database/pool.ts'
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
    server.get('/api/health/live', async () => ({ status: 'live' }))
    server.get('/api/health/ready', async (_request, reply) => {
      if (isStopping()) return reply.status(503).send({ status: 'stopping' })
      try {
        await pool.query('SELECT 1')
        return { status: 'ready' }
      } catch {
        return reply.status(503).header('Retry-After', '2').send({ status: 'database unavailable' })
      }
    })
    server.get('/api/metrics', async (_request, reply) =>
      reply.type(metrics.contentType).send(await metrics.print()),
    )
  }
