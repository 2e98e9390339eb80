/** Opens the pools of the service and of the worker: those of the database, and those of the replicas of the settings with the reads and exports that they answer. */
import type { Config } from '../config/load-config.ts'
import type { Work } from '../database/connections/session-settings.ts'
import { createPool, type Pool } from '../database/pool.ts'
import { createRead, createReplayCheck, type Read, readOn } from '../database/replicas/reads.ts'
import { createReplicas, type Replicas } from '../database/replicas/replicas.ts'
import { currentRequest } from '../database/request-context.ts'
import type { Signaller } from '../database/signals.ts'
import type { ExportTarget } from '../export/export-task.ts'
import type { Observe } from '../observations.ts'
import type { Runtime } from './open-runtime.ts'

type OpenReplicas = {
  readonly read: Read
  /** Where an export of the current request may run, the best first; the last is the primary. */
  readonly exportTargets: () => readonly ExportTarget[]
  /** Undefined without replicas. */
  readonly replicas: Replicas | undefined
  /** Resolves when reads get what is committed now; undefined where they always do. */
  readonly settled: (() => Promise<void>) | undefined
  /** How often which server has answered a read; empty without replicas. */
  readonly counts: ReadonlyMap<string, number>
  /** Their pools for reads. */
  readonly readPools: readonly Pool[]
  /** Those and all others that it has opened, to be closed. */
  readonly pools: readonly Pool[]
}

const onPrimary: ExportTarget = { server: 0 }

/** They are not measured yet: until they are, the primary answers. */
export const openReplicas = (runtime: Runtime, primary: Pool): OpenReplicas => {
  const { replicas: ofReads, exports: ofExports } = addressesOf(runtime)
  const addresses = [
    ...new Map([...ofReads, ...ofExports].map((one) => [one.connectionString, one])),
  ]
  const counts = new Map<string, number>()
  if (addresses.length === 0)
    return {
      read: readOn(primary),
      exportTargets: () => [onPrimary],
      replicas: undefined,
      counts,
      settled: undefined,
      readPools: [],
      pools: [],
    }
  const { config, observe } = runtime
  const positions = openPool(runtime, 'positions')
  const replicas = createReplicas({
    primary: positions,
    addresses: addresses.map(([, address]) => address),
    limitMs: config.DATABASE_REPLICA_LAG_SECONDS * 1000,
    observe,
  })
  const pools = new Map(
    replicas.at(ofReads).map((replica) => {
      const beforeUse = createReplayCheck(replica)
      const { assertUp } = replica
      const own = { ...requestConnections(config), observe, beforeUse, assertUp }
      const pool = createPool({ ...replica.address, ...own })
      // Its reads run again elsewhere.
      replica.onFoundAway((error) => pool.cut(error))
      return [replica, pool]
    }),
  )
  const count = (server: string) => void counts.set(server, (counts.get(server) ?? 0) + 1)
  const readPools = [...pools.values()]
  return {
    read: pools.size > 0 ? createRead({ primary, replicas, pools, count }) : readOn(primary),
    exportTargets: exportTargetsOf(replicas, ofExports),
    settled: pools.size > 0 ? () => replicas.settled([...pools.keys()]) : undefined,
    replicas,
    counts,
    readPools,
    pools: [positions, ...readPools],
  }
}

/** The servers of exports have numbers: 0 is the primary, and the replicas follow in the order of their addresses. */
const exportTargetsOf = (
  replicas: Replicas,
  addresses: ReturnType<typeof addressesOf>['exports'],
) => {
  const among = addresses.flatMap((address) => replicas.at([address]))
  return (): readonly ExportTarget[] => {
    const request = currentRequest()
    const chosen = request ? replicas.choose(among, request) : []
    const targets = chosen.map((replica) => ({
      server: among.indexOf(replica) + 1,
      requires: request?.requires ?? 0n,
      leave: replica.leave,
      onFoundAway: replica.onFoundAway,
    }))
    return [...targets, onPrimary]
  }
}

// The named pools of the service and of the worker: what each is for, where it leads, and its size by the settings.

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
const requestConnections = (config: Config) => ({
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
