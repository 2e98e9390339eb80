/** The connections of several pools, counted as those of one. */
import type { Pool } from '../database/pool.ts'

/** Counts of all of them at each access. */
export const sumOfPools = (pools: readonly Pool[]) => {
  const sum = (name: 'totalCount' | 'idleCount' | 'waitingCount' | 'waitedMs') =>
    pools.reduce((all, pool) => all + pool[name], 0)
  return {
    get totalCount() {
      return sum('totalCount')
    },
    get idleCount() {
      return sum('idleCount')
    },
    get waitingCount() {
      return sum('waitingCount')
    },
    get waitedMs() {
      return sum('waitedMs')
    },
  }
}
