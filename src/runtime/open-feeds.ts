/** Opens the servers of the feed that the settings name, and pools of them for each kind of work. */

import type { Config } from '../config/load-config.ts'
import { createFeedServer, type FeedServer } from '../database/feeds/feed-server.ts'
import { type Feeds, feedsOn } from '../database/feeds/feeds.ts'
import { joinFeed } from '../database/feeds/join-feed.ts'
import { requirePlacement } from '../database/feeds/placement.ts'
import { createListener, type Listener } from '../database/listening/listener.ts'
import { createPool, type Pool } from '../database/pool.ts'
import { keepMonthsAhead } from '../notifications/months/keep-months.ts'
import type { Observe } from '../observations.ts'
import { followRenames } from '../schema-sync/renames/follow-on-feed.ts'
import { type FeedPoolName, feedConnections } from './open-pool.ts'

type Options = {
  readonly config: Config
  /** Of the database of the records. */
  readonly connectionString: string
  readonly observe: Observe
  /** Whether tables of the servers may be changed. */
  readonly mayMigrate: boolean
  /** Those of another thread, by server. */
  readonly listeners?: ReadonlyMap<string, Listener> | undefined
}

/** Servers of the settings; opens no connection before they are started. */
export const createFeedServers = (options: Options): readonly FeedServer[] => {
  const { config, observe, listeners } = options
  return [...(config.FEED_DATABASE_URL ?? [])].map(([name, connectionString]) =>
    createFeedServer({
      ...{ name, connectionString, observe },
      listener:
        listeners?.get(name) ??
        createListener({ connectionString, applicationName: 'docket listener' }),
      prepare: () => prepareAt(options, name, connectionString),
    }),
  )
}

/** Brings a server up to date; throws if it is away, or belongs to others. */
export const prepareFeed = async (server: Pool, mayMigrate: boolean): Promise<void> => {
  await joinFeed({ name: server.feed, records: server.records, server, mayMigrate })
  await followRenames(server.records, server)
}

const prepareAt = async (
  { connectionString: ofRecords, mayMigrate }: Options,
  feed: string,
  connectionString: string,
  more?: (server: Pool) => Promise<void>,
): Promise<void> => {
  const few = { size: 1, waitMs: 5_000, observe: () => undefined }
  const records = createPool({ connectionString: ofRecords, ...few })
  const place = { feed, records, assertUp: () => undefined }
  const server = createPool({ connectionString, ...few, place })
  try {
    await prepareFeed(server, mayMigrate)
    await more?.(server)
  } finally {
    await Promise.all([records.endWithin(0), server.endWithin(0)])
  }
}

/** Brings the servers of the settings up to date, one after the other; throws if one is away, or the feed is elsewhere. */
export const migrateFeeds = async (
  records: Pool,
  config: Config,
  connectionString: string,
): Promise<void> => {
  const options = { config, connectionString, observe: () => undefined, mayMigrate: true }
  const servers = [...(config.FEED_DATABASE_URL ?? [])]
  await requirePlacement(
    records,
    servers.map(([name]) => name),
  )
  for (const [name, url] of servers) await prepareAt(options, name, url, keepMonthsAhead)
}

/** Waits until each server was asked once; closes all if one of them is a wrong one. */
export const startFeeds = async (servers: readonly FeedServer[]): Promise<void> => {
  const started = servers.map(({ start }) => start())
  await Promise.allSettled(started)
  await Promise.all(started).catch(async (error) => {
    await Promise.all(servers.map(({ close }) => close()))
    throw error
  })
}

type Opening = { readonly config: Config; readonly observe: Observe }

/** The places of the feed with a pool for this work on each; the pool of the records, without servers. */
export const openFeedPools = (
  { config, observe }: Opening,
  servers: readonly FeedServer[],
  name: FeedPoolName,
  records: Pool,
): Feeds => {
  if (servers.length === 0) return feedsOn(records)
  return feedsOn(
    ...servers.map(({ name: feed, connectionString, listener, assertUp }) =>
      createPool({
        ...{ connectionString, observe, ...feedConnections(config, name) },
        signaller: listener.signaller,
        place: { feed, records, assertUp },
      }),
    ),
  )
}

/** The places of the feed for a command, which waits for a server as it does for the database. */
export const openCommandFeeds = (
  { FEED_DATABASE_URL }: Config,
  records: Pool,
  observe: Observe,
): Feeds => {
  const servers = [...(FEED_DATABASE_URL ?? [])].map(([feed, connectionString]) => {
    const place = { feed, records, assertUp: () => undefined }
    return createPool({ connectionString, size: 1, observe, place })
  })
  return servers.length === 0 ? feedsOn(records) : feedsOn(...servers)
}

/** The pools of a feed that lead to servers of its own, to be closed. */
export const ownPools = (...all: readonly Feeds[]): Pool[] =>
  all.flatMap((feeds) => feeds.all.filter((pool) => pool.feed !== ''))
