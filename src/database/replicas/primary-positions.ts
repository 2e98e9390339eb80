/** What the primary had written when: the measure of how far replicas are behind, by the clock of this process. */
import { type Queryable, queryRow } from '../pool.ts'
import { sql } from '../sql.ts'
import { givenPosition, type Position } from './position.ts'

export type PrimaryPositions = {
  /** A position after everything that was committed before the call; calls at the same time share a statement. */
  readonly ask: () => Promise<Position>
  /**
   * Who has replayed it has everything that was committed before the lag limit; undefined if the primary has not
   * been asked since.
   */
  readonly floor: () => Position | undefined
  /** For how long changes may have been committed that a position lacks, in milliseconds. */
  readonly ageOf: (position: Position) => number
}

/** The position includes everything that was committed before the time. */
type Sample = { readonly at: number; readonly position: Position }

// The insert position and not the written one: a commit that does not wait for the disk is visible before.
const current = sql`SELECT pg_current_wal_insert_lsn()::text AS position`

const keptMs = 3_600_000
const spacingMs = 200

/** Remembers the positions that the primary answers. */
export const createPrimaryPositions = (primary: Queryable, limitMs: number): PrimaryPositions => {
  let samples: Sample[] = []
  let running: Promise<Position> = Promise.resolve(0n)
  let waiting: Promise<Position> | undefined
  const keep = (sample: Sample) => {
    const last = samples.at(-1)
    // After a failover: the log of another server.
    if (last && sample.position < last.position) samples = []
    else if (last && sample.at - last.at < Math.min(spacingMs, limitMs / 5)) return
    samples.push(sample)
    const expired = sample.at - Math.max(keptMs, limitMs)
    while ((samples[0]?.at ?? expired) < expired) samples.shift()
  }
  const query = async (): Promise<Position> => {
    const at = performance.now()
    const row = await queryRow<{ position: string }>(primary, current)
    const position = givenPosition(row?.position ?? '')
    keep({ at, position })
    return position
  }
  // One that runs already may have seen the log before the commit of a later call.
  const begin = () => {
    waiting = undefined
    running = query()
    return running
  }
  return {
    ask: () => {
      waiting ??= running.then(begin, begin)
      return waiting
    },
    floor: () => {
      const from = performance.now() - limitMs
      return samples[firstWhere(samples, ({ at }) => at >= from)]?.position
    },
    ageOf: (position) => {
      const lacked = firstWhere(samples, (sample) => sample.position > position)
      if (lacked === samples.length && lacked > 0) return 0
      return performance.now() - (samples[lacked - 1]?.at ?? Number.NEGATIVE_INFINITY)
    },
  }
}

/** The index of the first sample for which something holds that holds for all after it; their number if there is none. */
const firstWhere = (samples: readonly Sample[], holds: (sample: Sample) => boolean): number => {
  let [low, high] = [0, samples.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    const sample = samples[middle]
    if (sample && holds(sample)) high = middle
    else low = middle + 1
  }
  return low
}
