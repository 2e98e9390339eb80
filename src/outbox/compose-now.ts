/** Composes what a delivery would send now, in the process that answers. */
import type { ChannelName } from '../definitions/schemas/notification-rule.ts'
import type { ChannelOptions, ComposeMessage, DeliveryMessage } from './channel.ts'
import { channels } from './channels.ts'
import type { TakenDelivery } from './sending/taken-delivery.ts'

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

export const composeNow = async (
  composers: Composers,
  channel: ChannelName,
  delivery: TakenDelivery,
): Promise<DeliveryMessage> => (await composers(channel))(delivery)
