/** Runs reads where they may be answered: on a replica that has what the caller requires, else on the primary. */
import type { Connection, Pool } from '../pool.ts'
import { currentRequest } from '../request-context.ts'
import { type Position, primaryOnly } from './position.ts'
import type { Replica } from './replica.ts'
import type { Replicas } from './replicas.ts'
import { isAway, mayAnswerElsewhere, untilReplayed } from './until-replayed.ts'

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
  const known = new WeakMap<Connection, Position>()
  return async (connection) => {
    const required = currentRequest()?.requires ?? primaryOnly
    if ((known.get(connection) ?? -1n) >= required) return
    const replayed = await untilReplayed(connection, required)
    replica.learn(replayed)
    if (!replica.address.isPooled) known.set(connection, replayed)
  }
}
