/**
 * The replicas of a service: measures each of them again and again, and says which of them may answer a read.
 * One that is away or beyond the lag limit is left out, and comes back by itself.
 */
import { setTimeout as delay } from 'node:timers/promises'
import type { Observe } from '../../observations.ts'
import type { Pool } from '../pool.ts'
import type { RequestContext } from '../request-context.ts'
import { createLastWrites } from './last-writes.ts'
import { laterOf, type Position, primaryOnly } from './position.ts'
import { createPrimaryPositions } from './primary-positions.ts'
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
  /** Resolves when each of some replicas that may answer has what is committed now. */
  readonly settled: (among: readonly Replica[]) => Promise<void>
  readonly states: () => readonly ReplicaState[]
  /** Measures them once, and then again and again. */
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
  return {
    at: (wanted) =>
      replicas.filter(({ address }) =>
        wanted.some(({ connectionString }) => connectionString === address.connectionString),
      ),
    choose: (among, request) => {
      request.require(laterOf(positions.floor() ?? primaryOnly, lastWrites.of(request.callerKey)))
      if (request.requires === primaryOnly) return []
      return bestOf(among.filter(isUsed), request, positions.ageOf)
    },
    afterWrite: async (callerKey, isUnknown) => {
      const position = isUnknown ? primaryOnly : await positions.ask().catch(() => primaryOnly)
      lastWrites.note(callerKey, position)
      return position
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
  let running: Promise<void> | undefined
  const measure = async () => {
    try {
      identity ??= await readIdentity(primary)
      const known = replicas.map((replica) => ({ replica, earlier: replica.replayed() }))
      const ofPrimary = { identity, position: await ask() }
      await Promise.all(
        known.map(({ replica, earlier }) => replica.measure({ ...ofPrimary, earlier })),
      )
    } catch {
      // Without the primary nothing says how old a replica is: they are used up to the lag limit.
    }
    running = undefined
  }
  return () => {
    running ??= measure()
    return running
  }
}

/** The same caller reads from the same replica, so that what it reads does not become older (FNV-1a). */
const hash = (text: string): number => {
  let value = 0x811c9dc5
  for (let index = 0; index < text.length; index++)
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193) >>> 0
  return value
}
