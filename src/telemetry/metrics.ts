/** Metrics for Prometheus, counted from observations and read from the pools. */
import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client'
import type { ReplicaState } from '../database/replicas/replicas.ts'
import type { Observe } from '../observations.ts'
import {
  addGauge,
  type CountJobs,
  type Watched,
  watchCounts,
  watchJobs,
  watchOperations,
} from './operation-metrics.ts'

export type Metrics = {
  readonly observe: Observe
  /** The text format of Prometheus. */
  readonly print: () => Promise<string>
  readonly contentType: string
}

/** Counts of a pool, in this thread or another one. */
type Connections = {
  readonly totalCount: number
  readonly idleCount: number
  readonly waitingCount: number
  /** How long work has waited for a connection, in all. */
  readonly waitedMs?: number
}

type Sources = {
  /** The pools of this thread; those of others are observed. */
  readonly pools: Readonly<Record<string, Connections>>
  readonly countJobs: CountJobs
  readonly countDeliveries?: CountJobs
  readonly watched?: Watched
  readonly replicas?: WatchedReplicas
}

/** What single observations add to. */
const eventMetrics = (registry: Registry) => ({
  requests: new Histogram({
    name: 'docket_http_request_duration_seconds',
    help: 'Time to answer a request, by path pattern and status.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [registry],
  }),
  exports: new Counter({
    name: 'docket_exports_total',
    help: 'Exports by outcome: whole, aborted by an error, left by the client, or cut because the client read too slowly.',
    labelNames: ['entity', 'format', 'outcome'],
    registers: [registry],
  }),
  exportRows: new Counter({
    name: 'docket_export_rows_total',
    help: 'Rows sent by exports.',
    labelNames: ['entity'],
    registers: [registry],
  }),
  failures: new Counter({
    name: 'docket_failures_total',
    help: 'Internal errors, and losses of connections, by kind.',
    labelNames: ['kind'],
    registers: [registry],
  }),
})

/** A registry of its own, so that two services in one process do not share numbers. */
export const createMetrics = (sources: Sources): Metrics => {
  const { pools, countJobs, countDeliveries = async () => ({}), watched } = sources
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const { requests, exports, exportRows, failures } = eventMetrics(registry)
  const elsewhere = new Map<string, Connections>()
  watchPools(registry, () => [...Object.entries(pools), ...elsewhere])
  const observeJobs = watchJobs(registry, countJobs)
  watchCounts(registry, {
    name: 'docket_deliveries',
    help: 'E-mails in the database that are not sent, by status.',
    count: countDeliveries,
  })
  if (watched) watchOperations(registry, watched)
  watchReplicas(registry, sources.replicas)
  return {
    contentType: registry.contentType,
    print: () => registry.metrics(),
    observe: (observation) => {
      switch (observation.kind) {
        case 'requestAnswered': {
          const { method, route, status, ms } = observation
          requests.observe({ method, route, status: String(status) }, ms / 1000)
          break
        }
        case 'exportEnded':
        case 'exportAborted':
        case 'exportLeft':
        case 'exportCut': {
          const { kind, entity, format, rows } = observation
          exports.inc({ entity, format, outcome: outcomes[kind] })
          exportRows.inc({ entity }, rows)
          break
        }
        case 'connectionsCounted':
          elsewhere.set(observation.pool, observation)
          break
        case 'requestFailed':
        case 'databaseConnectionLost':
        case 'notificationPushDelayed':
        case 'deliveryWakeUpDelayed':
        case 'workerInterrupted':
          failures.inc({ kind: observation.kind })
          break
        default:
          observeJobs(observation)
      }
    },
  }
}

const outcomes = {
  exportEnded: 'whole',
  exportAborted: 'aborted',
  exportLeft: 'left',
  exportCut: 'cut',
} as const

const watchPools = (
  registry: Registry,
  pools: () => readonly (readonly [name: string, counts: Connections])[],
) => {
  const connections = {
    name: 'docket_database_connections',
    help: 'Connections of a pool: all, idle, and requests that wait for one.',
    labels: ['pool', 'state'],
  }
  addGauge(registry, connections, () =>
    pools().flatMap(([pool, { totalCount, idleCount, waitingCount }]) => [
      { labels: { pool, state: 'all' }, value: totalCount },
      { labels: { pool, state: 'idle' }, value: idleCount },
      { labels: { pool, state: 'waiting' }, value: waitingCount },
    ]),
  )
  new Counter({
    name: 'docket_database_wait_seconds_total',
    help: 'How long work has waited for a connection of a pool.',
    labelNames: ['pool'],
    registers: [registry],
    collect() {
      this.reset()
      for (const [pool, { waitedMs }] of pools())
        if (waitedMs !== undefined) this.inc({ pool }, waitedMs / 1000)
    },
  })
}

type WatchedReplicas = {
  readonly states: () => readonly ReplicaState[]
  /** How often which server has answered a read. */
  readonly reads: ReadonlyMap<string, number>
}

const none: WatchedReplicas = { states: () => [], reads: new Map() }

/** Registers them; they have no values without replicas. */
const watchReplicas = (registry: Registry, { states, reads }: WatchedReplicas = none): void => {
  const used = {
    name: 'docket_replica_used',
    help: 'Whether this process reads from the replica: 1, or 0 while it is away or too far behind.',
    labels: ['replica'],
  }
  addGauge(registry, used, () =>
    states().map(({ name, isUsed }) => ({ labels: { replica: name }, value: isUsed ? 1 : 0 })),
  )
  const lag = {
    name: 'docket_replica_lag_seconds',
    help: 'For how long changes may have been committed that the replica lacks; absent while it is away.',
    labels: ['replica'],
  }
  addGauge(registry, lag, () =>
    states()
      .filter(({ lagSeconds }) => Number.isFinite(lagSeconds))
      .map(({ name, lagSeconds }) => ({ labels: { replica: name }, value: lagSeconds })),
  )
  new Counter({
    name: 'docket_reads_total',
    help: 'Reads that a replica may answer, by the server that did: a replica, or primary.',
    labelNames: ['server'],
    registers: [registry],
    collect() {
      this.reset()
      for (const [server, count] of reads) this.inc({ server }, count)
    },
  })
}
