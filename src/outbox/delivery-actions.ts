/** For administrators: how many deliveries there are, what they send, and sending many again. */
import type { Pool } from '../database/pool.ts'
import type { Catalog } from '../definitions/catalog.ts'
import { channelNames } from '../definitions/schemas/notification-rule.ts'
import { Type } from '../definitions/schemas/schema-builder.ts'
import { apiError, errorText } from '../errors.ts'
import { checkedBody } from '../http/endpoint/body.ts'
import { endpoint } from '../http/endpoint/endpoint.ts'
import { integer } from '../http/endpoint/parameters.ts'
import {
  assertIdsOrStatus,
  retriedPage,
  retriedSchema,
  retryIds,
} from '../http/endpoint/retry-many.ts'
import {
  component,
  json,
  media,
  objectOf,
  schemasBy,
  type ValueOf,
} from '../http/openapi/operation.ts'
import { DeliveryError } from '../retry-policy.ts'
import type { DeliveryMessage } from './channel.ts'
import { type Composers, composeNow } from './compose-now.ts'
import { countByChannel } from './count-deliveries.ts'
import { AttachmentsAwaited, deliveryStatuses } from './delivery.ts'
import {
  assertChoice,
  choiceParameters,
  deliveryAttachments,
  deliveryId,
  emailTag,
  maxDeliveryId,
  unknownDelivery,
} from './delivery-endpoints.ts'
import { findStoredAttachments, retryDeliveries } from './delivery-list.ts'
import { sendFramed } from './email/framed-html.ts'
import { findMessage } from './sent-message-store.ts'

export type DeliveryActionDeps = {
  readonly pool: Pool
  readonly catalog: Catalog
  readonly composers: Composers
}

const texts = { type: 'object', additionalProperties: { type: 'string' } } as const
const message = component(
  'DeliveryMessage',
  objectOf({
    id: { type: 'integer' },
    channel: { type: 'string', enum: channelNames },
    as_sent: {
      type: 'boolean',
      description:
        'true: as the provider accepted it. false: composed for this answer, from the current templates, addresses and permissions.',
    },
    address: { type: 'string' },
    subject: { type: ['string', 'null'] },
    headers: { ...texts, description: 'Those that the service sets.' },
    text: { type: 'string' },
    html: { type: ['string', 'null'] },
    template: {
      description: 'A template at the provider, which composes the e-mail from the data.',
      anyOf: [objectOf({ id: { type: 'string' }, data: { type: 'object' } }), { type: 'null' }],
    },
    attachments: deliveryAttachments,
  }),
)

const numbers = objectOf(schemasBy(deliveryStatuses, { type: 'integer', minimum: 0 }))
const counts = component('DeliveryCounts', objectOf(schemasBy(channelNames, numbers)))
export type DeliveryCounts = ValueOf<typeof counts>
export type ShownMessage = ValueOf<typeof message>

const retryBody = checkedBody(
  Type.Object(
    {
      ids: retryIds(maxDeliveryId),
      status: Type.Optional(
        Type.Enum(['failed', 'dead'], { type: 'string', description: 'All of this status.' }),
      ),
      channel: Type.Optional(
        Type.Enum(channelNames, { type: 'string', description: 'Only those of this channel.' }),
      ),
    },
    { additionalProperties: false },
  ),
  {
    some: { summary: 'These', value: { ids: [1, 2] } },
    dead: { summary: 'All dead e-mails', value: { status: 'dead', channel: 'email' } },
  },
)

const common = { tag: emailTag, who: 'administrator' } as const

/** Below /api/deliveries. */
export const deliveryActions = [
  endpoint({
    ...common,
    method: 'get',
    path: '/api/deliveries/count',
    id: 'countDeliveries',
    summary: 'How many deliveries there are, by channel and status',
    query: {
      ...choiceParameters,
      sentLimit: integer({
        min: 1,
        max: 1_000_000,
        description:
          'Where to stop counting the sent ones of each channel: this number then stands for itself and more.',
      }),
    },
    errors: ['entity.unknown'],
    answers: { 200: json('The numbers.', counts) },
    handle: ({ query }, { pool, catalog }: DeliveryActionDeps) => {
      assertChoice(catalog, query)
      return countByChannel(pool, query, query.sentLimit)
    },
  }),
  endpoint({
    ...common,
    method: 'get',
    path: '/api/deliveries/{deliveryId}/message',
    id: 'readDeliveryMessage',
    summary: 'What a delivery has sent or would send',
    description:
      'Nothing is sent or changed. A sent message is the stored one; another is composed for this answer.',
    params: { deliveryId },
    errors: ['delivery.not-composed'],
    answers: { 200: json('The message.', message) },
    handle: async ({ params }, deps: DeliveryActionDeps) => {
      const { found, shown } = await readMessage(deps, params.deliveryId)
      const attachments = await findStoredAttachments(deps.pool, params.deliveryId)
      const { channel, sent } = found
      return { id: params.deliveryId, channel, as_sent: sent !== undefined, ...shown, attachments }
    },
  }),
  endpoint({
    ...common,
    method: 'get',
    path: '/api/deliveries/{deliveryId}/message.html',
    id: 'readDeliveryHtml',
    summary: 'The HTML of an e-mail, for a frame',
    description:
      'It runs no scripts and loads nothing from elsewhere, so its sender learns nothing.',
    params: { deliveryId },
    errors: ['delivery.not-composed'],
    answers: { 200: media('The HTML of the message.', 'text/html') },
    handle: async ({ params, reply }, deps: DeliveryActionDeps) => {
      const { html } = (await readMessage(deps, params.deliveryId)).shown
      if (html === null) throw apiError('delivery.not-composed', 'Its message has no HTML.')
      return sendFramed(reply, html)
    },
  }),
  endpoint({
    ...common,
    method: 'post',
    path: '/api/deliveries/retry',
    id: 'retryDeliveries',
    summary: 'Send failed deliveries again',
    description: 'Those of `ids`, or the oldest of a status. The answer says what became of each.',
    body: retryBody,
    answers: {
      200: json('The results.', retriedSchema(['delivery.not-failed', 'delivery.unknown'])),
    },
    handle: async ({ body }, { pool }: DeliveryActionDeps) => {
      assertIdsOrStatus(body)
      return retriedPage(await retryDeliveries(pool, body))
    },
  }),
]

/** The message of a delivery: the stored one, or one that is composed now. */
const readMessage = async ({ pool, composers }: DeliveryActionDeps, id: number) => {
  const found = await findMessage(pool, id)
  if (!found) throw unknownDelivery(id)
  const { delivery, channel, isLong, sent } = found
  if (!sent && isLong)
    throw apiError('delivery.not-composed', 'Its record is too long to be shown before it is sent.')
  const shown = sent ?? (await composed(composeNow(composers, channel, delivery)))
  return { found, shown }
}

/** A delivery that cannot be composed would fail for the same reason. */
const composed = (message: Promise<DeliveryMessage>): Promise<DeliveryMessage> =>
  message.catch((error: unknown) => {
    if (!(error instanceof DeliveryError || error instanceof AttachmentsAwaited)) throw error
    throw apiError('delivery.not-composed', errorText(error))
  })
