/** Reports the connections of a pool, for metrics in another thread. */
import type { Observe } from '../../observations.ts'
import type { Pool } from '../pool.ts'

const reportAfterMs = 1_000

/** Reports the counts now, and each change within a second. */
export const reportConnections = (name: string, pool: Pool, observe: Observe): void => {
  let isDue = false
  const report = () => {
    isDue = false
    const { totalCount, idleCount, waitingCount, waitedMs } = pool
    const counts = { totalCount, idleCount, waitingCount, waitedMs }
    observe({ kind: 'connectionsCounted', pool: name, ...counts })
  }
  const onChange = () => {
    if (isDue) return
    isDue = true
    setTimeout(report, reportAfterMs).unref()
  }
  for (const event of ['connect', 'acquire', 'release', 'remove'] as const) pool.on(event, onChange)
  report()
}
