/** The channel of webhooks: one request to a system for each recipient, with what they may read. */
import { webhookTargetsOf } from '../../config/webhook-targets.ts'
import type { Queryable } from '../../database/pool.ts'
import { sql } from '../../database/sql.ts'
import type {
  Channel,
  ChannelOptions,
  DeliveryMessage,
  OpenChannel,
  OutgoingEvent,
  Skipped,
} from '../channel.ts'
import { DeliveryError } from '../delivery-error.ts'
import type { TakenDelivery } from '../sending/taken-delivery.ts'
import { outgoingRecipients, queryForRecipients } from './outgoing-recipients.ts'
import { openPosting, postWebhook, type WebhookMessage } from './post-webhook.ts'

/** The request without its signature, which has the time of the attempt. */
const readable = ({ target }: TakenDelivery, { id, body }: WebhookMessage): DeliveryMessage => ({
  address: target ?? '',
  subject: null,
  headers: { 'Content-Type': 'application/json', 'webhook-id': id },
  text: body,
  html: null,
  template: null,
})

/** The name of the webhook of a rule. */
const webhookOf = ({ webhook }: OutgoingEvent['rule']): string | undefined => webhook

const openWebhooks = (options: ChannelOptions): OpenChannel =>
  openPosting(options, {
    name: 'webhook',
    setting: 'WEBHOOK_URLS',
    targets: webhookTargetsOf(options.config),
    targetOf: webhookOf,
    prepare: (delivery, target) => {
      const message = messageOf(delivery)
      return {
        message: readable(delivery, message),
        send: (signal) => postWebhook(target, message, signal),
      }
    },
  })

const messageOf = (delivery: TakenDelivery): WebhookMessage => ({
  id: messageIdOf(delivery),
  body: JSON.stringify(bodyOf(delivery)),
})

const messageIdOf = ({ notification_id: id, target }: TakenDelivery): string => `${id}.${target}`

/** A short message: what the recipient may read, and the record to read through the API. */
const bodyOf = (delivery: TakenDelivery): object => {
  const { content, is_active: isActive, notified_at: timestamp } = delivery
  if (!isActive)
    throw new DeliveryError('The recipient may not use the service any more.', { retryable: false })
  if (!content)
    throw new DeliveryError('The notification was removed meanwhile.', { retryable: false })
  const { title, message, url, icon, due_at: dueAt } = content
  return {
    type: `${delivery.entity_key}.${delivery.operation}`,
    timestamp,
    data: {
      notification_id: delivery.notification_id,
      user_id: delivery.user_id,
      entity_key: delivery.entity_key,
      entity_id: delivery.entity_id,
      operation: delivery.operation,
      icon,
      title,
      message,
      url,
      due_at: dueAt,
    },
  }
}

/** Nobody is skipped: a webhook goes to a system, so recipients need no address and have no preference. */
const queueWebhooks = async (
  connection: Queryable,
  events: readonly OutgoingEvent[],
): Promise<Skipped[]> => {
  const statement = sql`
INSERT INTO docket.delivery (channel, mailing_id, user_id, notification_id, target)
SELECT 'webhook', m.id, r.user_id, r.notification_id, e.target
FROM ${outgoingRecipients(events, webhookOf)}
ORDER BY m.id, r.user_id
ON CONFLICT DO NOTHING`
  await queryForRecipients(connection, events, statement)
  return []
}

export const webhookChannel: Channel = {
  name: 'webhook',
  sendsTo: 'each',
  wants: (rule) => webhookOf(rule) !== undefined,
  queue: queueWebhooks,
  open: async (options) => openWebhooks(options),
  openPreview: async () => async (delivery) => readable(delivery, messageOf(delivery)),
}
