/**
 * The channels besides the inbox, each a row: a file in channels/, and its name and properties of a rule in
 * definitions/schemas/notification-rule.ts.
 */
import type { Queryable } from '../database/pool.ts'
import type { ChannelName } from '../definitions/schemas/notification-rule.ts'
import type { Channel, OutgoingEvent, Skipped } from './channel.ts'
import { emailChannel } from './channels/email.ts'
import { webhookChannel } from './channels/webhook.ts'
import { storeMailings } from './store-mailings.ts'

const byName: Readonly<Record<ChannelName, Channel>> = {
  email: emailChannel,
  webhook: webhookChannel,
}

export const channels: readonly Channel[] = Object.values(byName)

/**
 * Queues the deliveries of events in all channels, in the transaction that stores their notifications;
 * returns who gets nothing, and why.
 */
export const queueDeliveries = async (
  connection: Queryable,
  events: readonly OutgoingEvent[],
): Promise<readonly Skipped[]> => {
  const wanted = events.filter(({ rule }) => channels.some((channel) => channel.wants(rule)))
  if (wanted.length === 0) return []
  await storeMailings(connection, wanted)
  const skipped: Skipped[] = []
  for (const channel of channels) {
    const own = wanted.filter(({ rule }) => channel.wants(rule))
    if (own.length > 0) skipped.push(...(await channel.queue(connection, own)))
  }
  return skipped
}
