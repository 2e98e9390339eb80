/** Opens the replicas of the settings: which reads and exports they answer, and their pools. */
import { createPool, type Pool } from '../database/pool.ts'
import { createRead, createReplayCheck, type Read, readOn } from '../database/replicas/reads.ts'
import { createReplicas, type Replicas } from '../database/replicas/replicas.ts'
import { currentRequest } from '../database/request-context.ts'
import type { ExportTarget } from '../export/export-task.ts'
import { addressesOf, openPool, requestConnections } from './open-pool.ts'
import type { Runtime } from './open-runtime.ts'

export type OpenReplicas = {
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
