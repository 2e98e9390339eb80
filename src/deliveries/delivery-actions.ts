/** For administrators: how many deliveries there are, what they send, and sending many again. */
import type { Pool } from '../database/pool.ts'
import { channelNames } from '../definitions/schemas/notification-rule.ts'
import { Type } from '../definitions/schemas/schema-builder.ts'
import { apiError, errorText } from '../errors.ts'
import { checkedBody } from '../http/endpoint/body.ts'
import { endpoint } from '../http/endpoint/endpoint.ts'
import { maxRecordId } from '../http/endpoint/parameters.ts'
import {
  assertIdsOrStatus,
  retriedPage,
  retriedSchema,
  retryIds,
} from '../http/endpoint/retry-many.ts'
import { component, type JsonSchema, json, objectOf } from '../http/openapi/operation.ts'
import { DeliveryError } from '../retry-policy.ts'
import type { DeliveryMessage } from './channel.ts'
import { type Composers, composeNow } from './compose-now.ts'
import { AttachmentsAwaited, deliveryStatuses } from './delivery.ts'
import { deliveryAttachments, deliveryId, emailTag, unknownDelivery } from './delivery-endpoints.ts'
import { countByChannel, findStoredAttachments, retryDeliveries } from './delivery-list.ts'
import { findMessage } from './sent-message-store.ts'

export type DeliveryActionDeps = { readonly pool: Pool; readonly composers: Composers }

const texts: JsonSchema = { type: 'object', additionalProperties: { type: 'string' } }
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

const numbers = objectOf(
  Object.fromEntries(deliveryStatuses.map((name) => [name, { type: 'integer', minimum: 0 }])),
)
const counts = component(
  'DeliveryCounts',
  objectOf(Object.fromEntries(channelNames.map((name) => [name, numbers]))),
)

const retryBody = checkedBody(
  Type.Object(
    {
      ids: retryIds(maxRecordId),
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
    answers: { 200: json('The numbers.', counts) },
    handle: (_call, { pool }: DeliveryActionDeps) => countByChannel(pool),
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
      const found = await findMessage(deps.pool, params.deliveryId)
      if (!found) throw unknownDelivery(params.deliveryId)
      const { delivery, channel, isLong, sent } = found
      if (!sent && isLong)
        throw apiError(
          'delivery.not-composed',
          'Its record is too long to be shown before it is sent.',
        )
      const shown = sent ?? (await composed(composeNow(deps.composers, channel, delivery)))
      const attachments = await findStoredAttachments(deps.pool, params.deliveryId)
      return { id: delivery.id, channel, as_sent: sent !== undefined, ...shown, attachments }
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

/** A delivery that cannot be composed would fail for the same reason. */
const composed = (message: Promise<DeliveryMessage>): Promise<DeliveryMessage> =>
  message.catch((error: unknown) => {
    if (!(error instanceof DeliveryError || error instanceof AttachmentsAwaited)) throw error
    throw apiError('delivery.not-composed', errorText(error))
  })
