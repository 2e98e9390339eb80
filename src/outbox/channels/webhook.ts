/** The channel of webhooks: one request to a system for each recipient, with what they may read. */
import { publicUrlOf } from '../../config/load-config.ts'
import { webhookTargetsOf } from '../../config/webhook-targets.ts'
import type { Queryable } from '../../database/pool.ts'
import { sql } from '../../database/sql.ts'
import { renderJson } from '../../templates/liquid-template.ts'
import { readingOf } from '../../users/user-readings.ts'
import type {
  Channel,
  ChannelOptions,
  DeliveryMessage,
  OpenChannel,
  OutgoingEvent,
  Skipped,
} from '../channel.ts'
import type { TakenDelivery } from '../delivery.ts'
import { DeliveryError } from '../delivery.ts'
import { absoluteUrl } from '../email/compose-email.ts'
import { outgoingRecipients, queryForRecipients } from './outgoing-recipients.ts'
import { openPosting, postWebhook, type WebhookMessage } from './post-webhook.ts'
import { readableData, readerFor } from './readable-data.ts'

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
    prepare: async (delivery, target) => {
      const message = await messageOf(options, delivery)
      return {
        message: readable(delivery, message),
        send: (signal) => postWebhook(target, message, signal),
      }
    },
  })

const messageOf = async (
  options: ChannelOptions,
  delivery: TakenDelivery,
): Promise<WebhookMessage> => {
  const usual = usualBody(delivery)
  const { webhook_body: template } = delivery
  const body = JSON.stringify(template ? await ownBody(options, delivery, usual) : usual)
  return { id: messageIdOf(delivery), body }
}

const maxBodyBytes = 262_144

/** The body of the rule, with what its recipient may read when it is sent. */
const ownBody = async (
  options: ChannelOptions,
  delivery: TakenDelivery,
  { timestamp, data: { url, ...told } }: ReturnType<typeof usualBody>,
): Promise<unknown> => {
  const { config } = options
  const { catalog, timeZone } = readingOf(options, delivery)
  const { user_id: id, full_name, address: email, webhook_body: template } = delivery
  const entity = options.catalog.entities.get(delivery.entity_key)
  const reader = await readerFor(options, delivery, entity)
  const data = {
    ...readableData(options, delivery, { entity, reader, catalog }),
    ...told,
    recipient: { id, full_name, email },
    timestamp,
    url: absoluteUrl(url ?? '', publicUrlOf(config)),
  }
  const body = renderJson(template, data, { locale: catalog.locale, timeZone })
  const bytes = Buffer.byteLength(JSON.stringify(body))
  if (bytes > maxBodyBytes)
    throw new DeliveryError(
      `webhook: The body has ${bytes} bytes, at most ${maxBodyBytes} are sent.`,
      { retryable: false },
    )
  return body
}

const messageIdOf = ({ notification_id: id, target }: TakenDelivery): string => `${id}.${target}`

/** A short message: what the recipient may read, and the record to read through the API. */
const usualBody = (delivery: TakenDelivery) => {
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

/** No recipient is skipped: a webhook goes to a system, so recipients need no address and have no preference. */
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
  openPreview: async (options) => async (delivery) =>
    readable(delivery, await messageOf(options, delivery)),
}
