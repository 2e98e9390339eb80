/**
 * The replicas of a service: measures each of them at intervals, and says which of them may answer a read.
 * One that is away or beyond the lag limit is left out, and comes back by itself.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { shareRun } from '../../limit.ts'
import type { Observe } from '../../observations.ts'
import { type Pool, type Queryable, queryRow } from '../pool.ts'
import type { RequestContext } from '../request-context.ts'
import { sql } from '../sql.ts'
import { givenPosition, laterOf, type Position, primaryOnly } from './position.ts'
import { createReplica, type Replica, type ReplicaAddress, readIdentity } from './replica.ts'

/** How a replica is, for operators. */
export type ReplicaState = {
  readonly name: string
  /** Whether it may answer. */
  readonly isUsed: boolean
  /** For how long changes may have been committed that it lacks, in seconds. */
  readonly lagSeconds: number
}

export type Replicas = {
  /** Those at the addresses. */
  readonly at: (addresses: readonly ReplicaAddress[]) => readonly Replica[]
  /**
   * The best of some replicas for a request first, at most two; none if the primary has to answer. It sets what
   * the request requires of them.
   */
  readonly choose: (among: readonly Replica[], request: RequestContext) => readonly Replica[]
  /** The position after a write of the caller; `isUnknown`: it is not known whether anything was written. */
  readonly afterWrite: (callerKey: string, isUnknown: boolean) => Promise<Position>
  /** Every read requires what is committed now, for as long as a replica may lack it: call it after a change of rights. */
  readonly requireAll: () => Promise<void>
  /** Resolves when each of some replicas that may answer has what is committed now. */
  readonly settled: (among: readonly Replica[]) => Promise<void>
  readonly states: () => readonly ReplicaState[]
  /** Measures them once, and then at intervals. */
  readonly start: () => Promise<void>
  readonly close: () => Promise<void>
}

type Options = {
  /** Connections to the primary for questions about positions alone. */
  readonly primary: Pool
  readonly addresses: readonly ReplicaAddress[]
  readonly limitMs: number
  readonly observe: Observe
}

const maxTried = 2
// One that keeps up was measured within the last second, and lacked then what was being written.
const nearMs = 2_500
const maxIntervalMs = 1_000
const settleEveryMs = 50

export const createReplicas = ({ primary, addresses, limitMs, observe }: Options): Replicas => {
  const positions = createPrimaryPositions(primary, limitMs)
  const lastWrites = createLastWrites(limitMs)
  const replicas = addresses.map((address) => createReplica(address, observe))
  const measure = createMeasure(primary, positions.ask, replicas)
  const isUsed = (replica: Replica): boolean => {
    const [floor, replayed] = [positions.floor(), replica.replayed()]
    return floor !== undefined && replayed !== undefined && replayed >= floor
  }
  let timer: NodeJS.Timeout | undefined
  /** Changes of rights whose position is not known yet. */
  let asked = 0
  return {
    at: (listed) =>
      replicas.filter(({ address }) =>
        listed.some(({ connectionString }) => connectionString === address.connectionString),
      ),
    choose: (among, request) => {
      request.require(laterOf(positions.floor() ?? primaryOnly, lastWrites.of(request.callerKey)))
      if (request.requires === primaryOnly || asked > 0) return []
      return bestOf(among.filter(isUsed), request, positions.ageOf)
    },
    afterWrite: async (callerKey, isUnknown) => {
      const position = isUnknown ? primaryOnly : await positions.ask().catch(() => primaryOnly)
      lastWrites.note(callerKey, position)
      return position
    },
    requireAll: async () => {
      asked++
      // Without the primary nothing is changed, and listeners are called when it is back.
      const position = await positions.ask().catch(() => 0n)
      asked--
      lastWrites.noteForAll(position)
    },
    settled: async (among) => {
      const position = await positions.ask()
      const end = performance.now() + limitMs
      const lacks = (one: Replica) => isUsed(one) && (one.replayed() ?? 0n) < position
      while (among.some(lacks) && performance.now() < end) {
        await measure()
        if (among.some(lacks)) await delay(settleEveryMs)
      }
    },
    states: () =>
      replicas.map((replica) => {
        const lagMs = positions.ageOf(replica.replayed() ?? 0n)
        return { name: replica.name, isUsed: isUsed(replica), lagSeconds: lagMs / 1000 }
      }),
    start: async () => {
      await measure()
      timer = setInterval(() => void measure(), Math.min(maxIntervalMs, limitMs / 5)).unref()
    },
    close: async () => {
      clearInterval(timer)
      await Promise.all(replicas.map((replica) => replica.close()))
    },
  }
}

/** Those that have what the request requires come first; one that will not have it in a moment is not asked. */
const bestOf = (
  replicas: readonly Replica[],
  { requires, callerKey }: RequestContext,
  ageOf: (position: Position) => number,
): readonly Replica[] => {
  const has = (one: Replica) => (one.replayed() ?? 0n) >= requires
  const rank = (one: Replica) => hash(`${callerKey} ${one.name}`)
  return replicas
    .filter((one) => has(one) || ageOf(one.replayed() ?? 0n) < nearMs)
    .toSorted((a, b) => Number(has(b)) - Number(has(a)) || rank(a) - rank(b))
    .slice(0, maxTried)
}

/** Measures all replicas; a call while they are being measured waits for that. */
const createMeasure = (
  primary: Pool,
  ask: () => Promise<Position>,
  replicas: readonly Replica[],
) => {
  let identity: string | undefined
  return shareRun(async () => {
    try {
      identity ??= await readIdentity(primary)
      const measured = replicas.map((replica) => ({ replica, earlier: replica.replayed() }))
      const ofPrimary = { identity, position: await ask() }
      await Promise.all(
        measured.map(({ replica, earlier }) => replica.measure({ ...ofPrimary, earlier })),
      )
    } catch {
      // Without the primary nothing says how old a replica is: they are used up to the lag limit.
    }
  })
}

/** The same caller reads from the same replica, so that what it reads does not become older (FNV-1a). */
const hash = (text: string): number => {
  let value = 0x811c9dc5
  for (let index = 0; index < text.length; index++)
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193) >>> 0
  return value
}

type PrimaryPositions = {
  /** A position after everything that was committed before the call; concurrent calls share a statement. */
  readonly ask: () => Promise<Position>
  /**
   * A server that has replayed it has everything that was committed before the lag limit; undefined if the primary has
   * not been asked since.
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

/** Remembers what the primary had written when, by the clock of this process: the measure of how far replicas are behind. */
const createPrimaryPositions = (primary: Queryable, limitMs: number): PrimaryPositions => {
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

type LastWrites = {
  readonly note: (callerKey: string, position: Position) => void
  /** As if every caller had written. */
  readonly noteForAll: (position: Position) => void
  /** 0 for a caller without a write within the lag limit: every replica that is used has older ones. */
  readonly of: (callerKey: string) => Position
}

type Write = { readonly position: Position; readonly until: number }

const maxCallers = 10_000

// A write of unknown position has a time of its own: later writes do not prolong it.
const unknownOf = (callerKey: string) => `${callerKey} unknown`

/**
 * Remembers the last write of each caller by this process for the lag limit: callers that send no position read their
 * own writes too, as long as the same process answers them.
 */
const createLastWrites = (limitMs: number): LastWrites => {
  // In the order of time.
  const writes = new Map<string, Write>()
  /** Of callers that there was no room for, and of changes of rights: it holds for all. */
  let ofAll: Write = { position: 0n, until: 0 }
  const positionOf = (write: Write | undefined) =>
    write && write.until > performance.now() ? write.position : 0n
  const noteForAll = (position: Position, until: number) => {
    ofAll = { position: laterOf(positionOf(ofAll), position), until: Math.max(until, ofAll.until) }
  }
  const forget = () => {
    for (const [key, write] of writes) {
      if (write.until > performance.now()) {
        if (writes.size <= maxCallers) return
        noteForAll(write.position, write.until)
      }
      writes.delete(key)
    }
  }
  return {
    note: (callerKey, position) => {
      const key = position === primaryOnly ? unknownOf(callerKey) : callerKey
      const later = laterOf(position, positionOf(writes.get(key)))
      writes.delete(key)
      writes.set(key, { position: later, until: performance.now() + limitMs })
      forget()
    },
    noteForAll: (position) => noteForAll(position, performance.now() + limitMs),
    of: (callerKey) =>
      [writes.get(callerKey), writes.get(unknownOf(callerKey)), ofAll]
        .map(positionOf)
        .reduce(laterOf),
  }
}
