/**
 * Runs reads where they may be answered: on a replica that has what the caller requires, else on the primary.
 * A connection to a replica waits a moment until its server has replayed that.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { databaseError, isUnavailable } from '../database-errors.ts'
import { type Connection, type Pool, type Queryable, queryRow } from '../pool.ts'
import { currentRequest } from '../request-context.ts'
import { sql } from '../sql.ts'
import { givenPosition, type Position, primaryOnly } from './position.ts'
import type { Replica } from './replica.ts'
import type { Replicas } from './replicas.ts'

/** Runs a read, all of it on one server; it writes nothing, and may run again on another server. */
export type Read = <T>(work: (pool: Pool) => Promise<T>) => Promise<T>

/** Without replicas. */
export const readOn =
  (pool: Pool): Read =>
  (work) =>
    work(pool)

/** Says how often which server has answered. */
type CountRead = (server: string) => void

type Options = {
  readonly primary: Pool
  readonly replicas: Replicas
  /** The replicas of reads with their pools. */
  readonly pools: ReadonlyMap<Replica, Pool>
  readonly count: CountRead
}

/** Reads of requests; anything else is read on the primary. */
export const createRead = ({ primary, replicas, pools, count }: Options): Read => {
  const all = [...pools.keys()]
  return async (work) => {
    const request = currentRequest()
    for (const replica of request ? replicas.choose(all, request) : []) {
      const pool = pools.get(replica)
      if (!pool) continue
      try {
        const answer = await work(pool)
        count(replica.name)
        return answer
      } catch (error) {
        if (request?.endReason || !mayAnswerElsewhere(error)) throw error
        if (isAway(error)) replica.leave(error)
      }
    }
    count('primary')
    return work(primary)
  }
}

/**
 * What each use of a connection to a replica begins with: a question for what the request requires. What a session
 * has replayed once it has for good, so that it is not asked again; behind a pooler it may be another session.
 */
export const createReplayCheck = (
  replica: Replica,
): ((connection: Connection) => Promise<void>) => {
  const positions = new WeakMap<Connection, Position>()
  return async (connection) => {
    const required = currentRequest()?.requires ?? primaryOnly
    if ((positions.get(connection) ?? -1n) >= required) return
    const position = await untilReplayed(connection, required)
    replica.learn(position)
    if (!replica.address.isPooled) positions.set(connection, position)
  }
}

const waitMs = 100
const askEveryMs = 10
const behindCode = 'replica-behind'

/** The replica did not replay what a read requires in time. */
class ReplicaBehind extends Error {
  override name = 'ReplicaBehind'
  /** It is kept when the error is posted between threads. */
  readonly code = behindCode
}

const replayed = sql`SELECT coalesce(pg_last_wal_replay_lsn(), '0/0')::text AS position`

/**
 * Returns what the server has replayed, at least the required position; throws ReplicaBehind. It is asked in a
 * statement before the read: the snapshot of the same statement would be older than the answer.
 */
export const untilReplayed = async (
  connection: Queryable,
  required: Position,
): Promise<Position> => {
  const end = performance.now() + waitMs
  for (;;) {
    const row = await queryRow<{ position: string }>(connection, replayed)
    const position = givenPosition(row?.position ?? '')
    if (position >= required) return position
    if (performance.now() >= end)
      throw new ReplicaBehind('The replica has not replayed what the caller requires.')
    await delay(askEveryMs)
  }
}

// A replica is the only server on which these have a reason that another server does not share.
const ofReplica = new Set<string>([
  // A conflict with recovery.
  'request.contended',
  // A column or table that it has not replayed yet.
  'database.changed',
  // A record that it has not replayed yet.
  'record.unknown',
])

const codeOf = (error: unknown) => String((error as { readonly code?: unknown } | null)?.code)

/** Whether the replica lacks what the caller requires, and nothing is wrong with it. */
export const isBehind = (error: unknown): boolean => codeOf(error) === behindCode

/** Whether another server may answer what a replica did not. */
export const mayAnswerElsewhere = (error: unknown): boolean =>
  isBehind(error) ||
  isUnavailable(error) ||
  ofReplica.has(databaseError(error)?.code ?? codeOf(error))

// All connections of the pool are busy; a server that does not answer is found by its measurement.
const noFreeConnection = /timeout exceeded when trying to connect/

/** Whether the error says that the replica itself is away, and not that it answers one read too late. */
export const isAway = (error: unknown): boolean =>
  isUnavailable(error) && !noFreeConnection.test(String(error))
