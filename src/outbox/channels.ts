/**
 * The channels besides the inbox, each a row: a file in channels/, and its name and properties of a rule in
 * definitions/schemas/notification-rule.ts.
 */
import type { Queryable } from '../database/pool.ts'
import type { ChannelName } from '../definitions/schemas/notification-rule.ts'
import type { Channel, ChannelOptions, ComposeMessage, OutgoingEvent, Skipped } from './channel.ts'
import { emailChannel } from './channels/email.ts'
import { slackChannel } from './channels/slack.ts'
import { teamsChannel } from './channels/teams.ts'
import { webhookChannel } from './channels/webhook.ts'
import { storeMailings } from './mailings.ts'

const byName: Readonly<Record<ChannelName, Channel>> = {
  email: emailChannel,
  webhook: webhookChannel,
  slack: slackChannel,
  teams: teamsChannel,
}

export const channels: readonly Channel[] = Object.values(byName)

/** Whether a channel sends one message for all recipients of a rule. */
export const isSentTogether = (rule: OutgoingEvent['rule']): boolean =>
  channels.some((channel) => channel.sendsTo === 'together' && channel.wants(rule))

/**
 * Queues the deliveries of events in all channels that send to each recipient, in the transaction that stores
 * their notifications, or in those that send one message for all, when all are notified; returns who gets nothing, and why.
 */
export const queueDeliveries = async (
  connection: Queryable,
  events: readonly OutgoingEvent[],
  sendsTo: Channel['sendsTo'] = 'each',
): Promise<readonly Skipped[]> => {
  const used = channels.filter((channel) => channel.sendsTo === sendsTo)
  const wanted = events.filter(({ rule }) => used.some((channel) => channel.wants(rule)))
  if (wanted.length === 0) return []
  await storeMailings(connection, wanted)
  const skipped: Skipped[] = []
  for (const channel of used) {
    const own = wanted.filter(({ rule }) => channel.wants(rule))
    if (own.length > 0) skipped.push(...(await channel.queue(connection, own)))
  }
  return skipped
}

/** What composes the messages that a channel would send now, in the process that answers. */
export type Composers = (channel: ChannelName) => Promise<ComposeMessage>

/** Opens each channel at its first use, because few processes are asked. */
export const createComposers = (options: ChannelOptions): Composers => {
  const opened = new Map<ChannelName, Promise<ComposeMessage>>()
  return (name) => {
    const known = opened.get(name)
    if (known !== undefined) return known
    const channel = channels.find((one) => one.name === name)
    if (!channel) throw new Error(`There is no channel ${name}.`)
    const opening = channel.openPreview(options)
    opened.set(name, opening)
    opening.catch(() => opened.delete(name))
    return opening
  }
}
