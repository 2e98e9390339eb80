/** How many connections of PostgreSQL a process may open, by the settings. docs/operations.md shows the table. */
import type { Config } from '../config/load-config.ts'
import { exportConnections } from '../config/process-limits.ts'

type Connections = {
  readonly number: (config: Config) => number
  /** Whether they go through a pooler, if there is one. */
  readonly mayBePooled: boolean
}

const pooled = (number: Connections['number']): Connections => ({ number, mayBePooled: true })
const direct = (number: Connections['number']): Connections => ({ number, mayBePooled: false })

const ofExports = (config: Config): number => {
  const { atOnce, dividedAtOnce, connectionsEach } = exportConnections(config)
  return atOnce + dividedAtOnce * (connectionsEach - 1)
}

const hasReplicas = ({ DATABASE_REPLICA_URL, DATABASE_EXPORT_URL }: Config): boolean =>
  DATABASE_REPLICA_URL !== undefined || DATABASE_EXPORT_URL !== undefined

/** Of a process that answers requests, of one that runs jobs, of every process, and while one starts. */
const parts = {
  requests: [
    pooled((config) => config.DATABASE_POOL_SIZE),
    // Also of exports whose replicas are away.
    pooled(ofExports),
    pooled(() => 1),
    // For the position of the log.
    pooled((config) => (hasReplicas(config) ? 1 : 0)),
  ],
  jobs: [
    pooled((config) => config.JOBS_POOL_SIZE),
    direct((config) => config.JOBS_QUEUE_POOL_SIZE),
    direct((config) => config.JOBS_BATCH_POOL_SIZE),
    direct((config) => config.EMAILS_POOL_SIZE),
  ],
  process: [direct(() => 1)],
  start: [direct(() => 4)],
} satisfies Record<string, readonly Connections[]>

export type ConnectionDemand = Readonly<Record<keyof typeof parts, number>>

/** The connections to the server itself, without those that go through a pooler. */
export const connectionDemandOf = (config: Config): ConnectionDemand => {
  const isPooled = config.DATABASE_DIRECT_URL !== undefined
  const sum = (part: readonly Connections[]) =>
    part
      .filter(({ mayBePooled }) => !(isPooled && mayBePooled))
      .reduce((total, { number }) => total + number(config), 0)
  return {
    requests: sum(parts.requests),
    jobs: sum(parts.jobs),
    process: sum(parts.process),
    start: sum(parts.start),
  }
}
