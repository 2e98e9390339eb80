/** The named pools of the service and of the worker: what each is for, and its size by the settings. */
import type { Config } from '../config/load-config.ts'
import type { Work } from '../database/connections/session-settings.ts'
import { createPool, type Pool } from '../database/pool.ts'
import type { Signaller } from '../database/signals.ts'
import type { Observe } from '../observations.ts'

type PoolSettings = { readonly size: number; readonly work: Work; readonly waitMs?: number }

const requests = (config: Config): PoolSettings => ({
  size: config.DATABASE_POOL_SIZE,
  work: { kind: 'requests', timeoutSeconds: config.REQUEST_TIMEOUT_SECONDS },
})

// docs/operations.md lists them with their sizes.
const pools = {
  requests,
  /** Of searches, where there is a replica. */
  replica: requests,
  health: () => ({ size: 1, work: { kind: 'health' }, waitMs: 2_000 }),
  jobs: (config) => ({ size: config.JOBS_POOL_SIZE, work: { kind: 'jobs' } }),
  batches: (config) => ({ size: config.JOBS_BATCH_POOL_SIZE, work: { kind: 'quick' } }),
  emails: (config) => ({ size: config.EMAILS_POOL_SIZE, work: { kind: 'quick' } }),
} satisfies Record<string, (config: Config) => PoolSettings>

type Options = {
  readonly config: Config
  readonly connectionString: string
  readonly observe: Observe
  readonly signaller?: Signaller
}

/** Opens the pool of that name. */
export const openPool = ({ config, ...options }: Options, name: keyof typeof pools): Pool =>
  createPool({ ...options, ...pools[name](config) })
