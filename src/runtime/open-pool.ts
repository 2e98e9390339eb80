/** The named pools of the service and of the worker: what each is for, where it leads, and its size by the settings. */
import type { Config } from '../config/load-config.ts'
import type { Work } from '../database/connections/session-settings.ts'
import { createPool, type Pool } from '../database/pool.ts'
import type { Signaller } from '../database/signals.ts'
import type { Observe } from '../observations.ts'

type Address = { readonly connectionString: string; readonly isPooled: boolean }

type Addresses = {
  /** For what needs sessions of its own. */
  readonly direct: Address
  /** For everything else: the pooler, if there is one. */
  readonly shared: Address
  /** For reads of records; none without replicas. */
  readonly replicas: readonly Address[]
  /** For exports: replicas of their own, or those of reads. */
  readonly exports: readonly Address[]
}

/** Where the settings lead; `connectionString` is the database itself. */
export const addressesOf = ({
  config,
  connectionString,
}: Pick<Options, 'config' | 'connectionString'>): Addresses => {
  const { DATABASE_URL, DATABASE_DIRECT_URL, DATABASE_REPLICA_URL = [] } = config
  const isPooled = DATABASE_DIRECT_URL !== undefined
  const url = isPooled ? (DATABASE_URL ?? connectionString) : connectionString
  const all = (urls: readonly string[]) => urls.map((one) => ({ connectionString: one, isPooled }))
  return {
    direct: { connectionString, isPooled: false },
    shared: { connectionString: url, isPooled },
    replicas: all(DATABASE_REPLICA_URL),
    exports: all(config.DATABASE_EXPORT_URL ?? DATABASE_REPLICA_URL),
  }
}

type PoolSettings = {
  readonly at: 'direct' | 'shared'
  readonly size: number
  readonly work: Work
  readonly waitMs?: number
}

/** The connections of requests, to the primary or to one replica. */
export const requestConnections = (config: Config) => ({
  size: config.DATABASE_POOL_SIZE,
  work: { kind: 'requests', timeoutSeconds: config.REQUEST_TIMEOUT_SECONDS } as const,
})

// docs/operations.md lists them with their sizes.
const pools = {
  requests: (config) => ({ at: 'shared', ...requestConnections(config) }),
  health: () => ({ at: 'shared', size: 1, work: { kind: 'health' }, waitMs: 2_000 }),
  /** Asks for the position of the primary, where there are replicas. */
  positions: () => ({ at: 'shared', size: 1, work: { kind: 'health' }, waitMs: 2_000 }),
  jobs: (config) => ({ at: 'shared', size: config.JOBS_POOL_SIZE, work: { kind: 'jobs' } }),
  // Their sessions keep plans.
  batches: (config) => ({
    at: 'direct',
    size: config.JOBS_BATCH_POOL_SIZE,
    work: { kind: 'quick' },
  }),
  emails: (config) => ({ at: 'direct', size: config.EMAILS_POOL_SIZE, work: { kind: 'quick' } }),
} satisfies Record<string, (config: Config) => PoolSettings>

type Options = {
  readonly config: Config
  /** Of the database itself, without a pooler. */
  readonly connectionString: string
  readonly observe: Observe
  readonly signaller?: Signaller
}

/** Opens the pool of that name. */
export const openPool = (options: Options, name: keyof typeof pools): Pool => {
  const { config, observe, signaller } = options
  const { at, ...settings }: PoolSettings = pools[name](config)
  return createPool({ ...addressesOf(options)[at], ...settings, observe, signaller })
}
