/** The places of the feed as the worker uses them: pools by work, signals, and the jobs that are enqueued there. */
import { type Batcher, createBatcher } from '../database/batcher.ts'
import type { Feeds } from '../database/feeds/feeds.ts'
import type { Listener } from '../database/listening/listener.ts'
import type { Pool } from '../database/pool.ts'
import { hurryLate } from '../notifications/jobs/late-parts.ts'
import { relayJobs } from '../notifications/jobs/relay-jobs.ts'
import { openFeedPools, ownPools } from './open-feeds.ts'
import type { Runtime } from './open-runtime.ts'

/** The pools of the worker in the database of the records. */
type Pools = Readonly<Record<'jobs' | 'batches' | 'emails', Pool>>

export type WorkerFeeds = {
  readonly jobs: Feeds
  readonly emails: Feeds
  readonly batcherOf: (feed: Pool) => Batcher
  readonly listenerOf: (feed: Pool) => Listener
  /** Starts to enqueue what servers of the feed enqueue; returns how to end it. */
  readonly relay: () => () => Promise<void>
  /** Those that lead to servers of the feed, to be closed. */
  readonly pools: readonly Pool[]
}

/** Opens no connection before it is used. */
export const openWorkerFeeds = (runtime: Runtime, pools: Pools, batcher: Batcher): WorkerFeeds => {
  const { feedServers, listener, observe } = runtime
  const open = (name: keyof Pools) => openFeedPools(runtime, feedServers, name, pools[name])
  const [jobs, batches, emails] = [open('jobs'), open('batches'), open('emails')]
  const batchers = new Map(ownPools(batches).map((pool) => [pool.feed, createBatcher(pool)]))
  const listenerOf = ({ feed }: Pool) =>
    feedServers.find(({ name }) => name === feed)?.listener ?? listener
  return {
    ...{ jobs, emails, listenerOf },
    batcherOf: ({ feed }) => batchers.get(feed) ?? batcher,
    relay: () => {
      for (const { name, onUp } of feedServers)
        onUp(() => void hurryLate(pools.jobs, name).catch(() => undefined))
      const stops = ownPools(jobs).map((feed) =>
        relayJobs({ feed, listener: listenerOf(feed), observe }),
      )
      return async () => {
        await Promise.all(stops.map((stop) => stop()))
      }
    },
    pools: ownPools(jobs, batches, emails),
  }
}
