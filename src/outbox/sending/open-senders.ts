/** Opens every channel and starts sending its queued deliveries. */
import type { Listener } from '../../database/listener.ts'
import type { Observe } from '../../observations.ts'
import type { ChannelOptions } from '../channel.ts'
import { channels } from '../channels.ts'
import { type Sender, sendDeliveries } from './send-deliveries.ts'

type Options = ChannelOptions & {
  readonly listener: Listener
  readonly observe: Observe
}

export const openSenders = async (options: Options): Promise<Sender> => {
  const { pool, listener, observe } = options
  const opened = await Promise.all(channels.map((channel) => channel.open(options)))
  const senders = opened.map((channel) => ({
    channel,
    sender: sendDeliveries({ pool, listener, channel, observe }),
  }))
  return {
    stop: async (graceMs) => {
      await Promise.all(
        senders.map(async ({ channel, sender }) => {
          await sender.stop(graceMs)
          await channel.close()
        }),
      )
    },
  }
}
