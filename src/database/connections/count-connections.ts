/** The numbers of connections of pools, for metrics: reported from another thread, or of several pools as one. */
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

/** Sums of what `parts` returns, at each access. */
export const sumOfCounts = <Name extends string>(
  names: readonly Name[],
  parts: () => readonly Readonly<Record<Name, number>>[],
): Readonly<Record<Name, number>> =>
  Object.defineProperties(
    {} as Record<Name, number>,
    Object.fromEntries(
      names.map((name) => [
        name,
        { enumerable: true, get: () => parts().reduce((sum, part) => sum + part[name], 0) },
      ]),
    ),
  )
