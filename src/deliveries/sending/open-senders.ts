/** Opens every channel and starts sending its queued deliveries, of each place of the feed by itself. */
import type { Feeds } from '../../database/feeds/feeds.ts'
import type { Listener } from '../../database/listening/listener.ts'
import type { Pool } from '../../database/pool.ts'
import type { Observe } from '../../observations.ts'
import type { ChannelOptions, OpenChannel } from '../channel.ts'
import { channels } from '../channels.ts'
import { createLimit } from './limit.ts'
import { type Sender, sendDeliveries } from './send-deliveries.ts'

type Options = ChannelOptions & {
  readonly feeds: Feeds
  /** Receives the signals of a place. */
  readonly listenerOf: (feed: Pool) => Listener
  readonly observe: Observe
}

export const openSenders = async (options: Options): Promise<Sender> => {
  const opened = await Promise.all(channels.map((channel) => channel.open(options)))
  const senders = opened.map((channel) => sendFrom(options, channel))
  return {
    stop: async (graceMs) => {
      await Promise.all(senders.map(({ stop }) => stop(graceMs)))
    },
  }
}

/** What the provider gets at the same time is limited for all places together. */
const sendFrom = ({ feeds, listenerOf, observe }: Options, channel: OpenChannel): Sender => {
  const limit = createLimit(channel.maxConcurrent)
  const senders = feeds.all.map((pool) =>
    sendDeliveries({ pool, listener: listenerOf(pool), channel, observe, limit }),
  )
  return {
    stop: async (graceMs) => {
      await Promise.all(senders.map(({ stop }) => stop(graceMs)))
      await channel.close()
    },
  }
}
