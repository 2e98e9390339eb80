/** The channel of webhooks: one request to a system for each recipient, with what they may read. */
import { webhookTargetsOf } from '../../config/webhook-targets.ts'
import type { Queryable } from '../../database/pool.ts'
import { sql } from '../../database/sql.ts'
import type { Catalog } from '../../definitions/catalog.ts'
import { StartupError } from '../../errors.ts'
import { DeliveryError } from '../../retry-policy.ts'
import type {
  Channel,
  ChannelOptions,
  DeliveryMessage,
  OpenChannel,
  OutgoingEvent,
  Skipped,
} from '../channel.ts'
import type { TakenDelivery } from '../sending/taken-delivery.ts'
import { outgoingRecipients, queryForRecipients } from './outgoing-recipients.ts'
import { postWebhook, type WebhookMessage } from './post-webhook.ts'

/** The request without its signature, which has the time of the attempt. */
const readable = ({ target }: TakenDelivery, { id, body }: WebhookMessage): DeliveryMessage => ({
  address: target ?? '',
  subject: null,
  headers: { 'Content-Type': 'application/json', 'webhook-id': id },
  text: body,
  html: null,
  template: null,
})

const openWebhooks = ({ config, catalog }: ChannelOptions): OpenChannel => {
  const targets = webhookTargetsOf(config)
  assertNamed(catalog, targets)
  return {
    name: 'webhook',
    provider: 'webhook',
    maxConcurrent: config.WEBHOOKS_AT_ONCE,
    maxTries: config.WEBHOOK_MAX_TRIES,
    maxPerSecond: undefined,
    prepare: async (delivery) => {
      const target = targets.get(delivery.target ?? '')
      // The setting may be added again.
      if (!target)
        throw new DeliveryError(`webhook: WEBHOOK_URLS has no "${delivery.target}".`, {
          retryable: true,
        })
      const message = messageOf(delivery)
      return {
        message: readable(delivery, message),
        send: (signal) => postWebhook(target, message, signal),
      }
    },
    close: async () => undefined,
  }
}

/** Throws at the start if a rule names a webhook that the settings lack. */
const assertNamed = ({ entities }: Catalog, targets: ReadonlyMap<string, unknown>): void => {
  const lacking = [...entities.values()].flatMap(({ key, definition }) =>
    (definition.notifications ?? []).flatMap(({ webhook }, index) =>
      webhook === undefined || targets.has(webhook)
        ? []
        : [`WEBHOOK_URLS lacks "${webhook}", which notifications[${index}] of "${key}" names`],
    ),
  )
  if (lacking.length > 0)
    throw new StartupError(`The environment has errors:\n  ${lacking.join('\n  ')}`)
}

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
FROM ${outgoingRecipients(events, ({ webhook }) => webhook)}
ORDER BY m.id, r.user_id
ON CONFLICT DO NOTHING`
  await queryForRecipients(connection, events, statement)
  return []
}

export const webhookChannel: Channel = {
  name: 'webhook',
  sendsTo: 'each',
  wants: ({ webhook }) => webhook !== undefined,
  queue: queueWebhooks,
  open: async (options) => openWebhooks(options),
  openPreview: async () => async (delivery) => readable(delivery, messageOf(delivery)),
}
