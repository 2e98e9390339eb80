/** Deliveries over HTTP, for administrators: which there are, how many, what they send, and sending them again. */
import type { Pool } from '../database/pool.ts'
import { type Catalog, getEntity } from '../definitions/catalog.ts'
import { channelNames } from '../definitions/schemas/notification-rule.ts'
import { Type } from '../definitions/schemas/schema-builder.ts'
import { apiError, errorText, validationError } from '../errors.ts'
import { checkedBody } from '../http/endpoint/body.ts'
import { endpoint } from '../http/endpoint/endpoint.ts'
import { dataText, JsonText } from '../http/endpoint/mount-path.ts'
import {
  id,
  integer,
  limitedText,
  maxRecordId,
  oneOf,
  pageOf,
  pageParameters,
  text,
} from '../http/endpoint/parameters.ts'
import {
  assertIdsOrStatus,
  retriedPage,
  retriedSchema,
  retryIds,
} from '../http/endpoint/retry-many.ts'
import {
  component,
  count,
  dataOf,
  json,
  media,
  objectOf,
  schemasBy,
  textOrNull,
  time,
  timeOrNull,
  type ValueOf,
} from '../http/openapi/operation.ts'
import { namedUserOr } from '../records/history.ts'
import type { DeliveryMessage } from './channel.ts'
import type { Composers } from './channels.ts'
import { AttachmentsAwaited, DeliveryError, deliveryStatuses } from './delivery.ts'
import {
  countByChannel,
  type DeliveryChoice,
  findDelivery,
  findStoredAttachments,
  listDeliveries,
  retryDeliveries,
} from './delivery-list.ts'
import { sendFramed } from './email/framed-html.ts'
import { findMessage } from './sent-message-store.ts'

export type DeliveryDeps = {
  readonly pool: Pool
  readonly catalog: Catalog
  readonly composers: Composers
}

/** The tag of deliveries and preferences. */
export const emailTag = 'E-mail'

/** The error of a delivery that does not exist. */
const unknownDelivery = (deliveryId: number | string) =>
  apiError('delivery.unknown', `There is no delivery ${deliveryId}.`)

/** As far as JSON has whole numbers. */
const maxDeliveryId = Number.MAX_SAFE_INTEGER

/** `deliveryId` of a path. */
export const deliveryId = id({
  max: maxDeliveryId,
  description: 'Id of the delivery.',
  unknown: unknownDelivery,
  errors: ['delivery.unknown'],
})

/** The attachments of a delivery, without their bytes. */
const deliveryAttachments = {
  type: 'array',
  items: objectOf({
    position: { type: 'integer' },
    filename: { type: 'string' },
    mimetype: textOrNull,
    size: { type: ['integer', 'null'] },
    fault: {
      type: ['string', 'null'],
      description: 'Why it could not be created, or what is wrong with it.',
    },
  }),
} as const

const delivery = component(
  'Delivery',
  objectOf({
    id: { type: 'integer' },
    channel: { type: 'string', enum: channelNames },
    entity_key: { type: 'string' },
    entity_id: { type: 'integer' },
    operation: { type: 'string' },
    entry: { type: 'string', description: 'Index of the rule in the definition.' },
    history_id: {
      type: ['integer', 'null'],
      description:
        'The entry of the history of the record that it is about; null if it is not known.',
    },
    by: namedUserOr('Who did what it is about; null: the service itself, or it is not known.'),
    acting_user: namedUserOr('Who really acted, as `by`; null: `by` themselves.'),
    user: objectOf(
      { id: { type: 'integer' }, full_name: textOrNull },
      { description: 'The recipient; of a message to a room, the first of those notified.' },
    ),
    status: { type: 'string', enum: deliveryStatuses },
    tries: { type: 'integer' },
    last_error: textOrNull,
    next_try_at: timeOrNull,
    created_at: time,
    sent_at: timeOrNull,
    address: {
      type: ['string', 'null'],
      description:
        'The e-mail address as it was used, before that the current one; or the name of the webhook or the room.',
    },
    subject: {
      type: ['string', 'null'],
      description: 'As it was sent; before that the title of the notification.',
    },
    attachments: deliveryAttachments,
  }),
)
export type Delivery = ValueOf<typeof delivery>

/** What deliveries are about, for the list and its numbers. */
const choiceParameters = {
  entity: text('Key of the entity.'),
  record: integer({ min: 1, max: maxRecordId, description: 'Id of the record; with `entity`.' }),
  user: integer({ min: 1, max: maxRecordId, description: 'Id of the recipient.' }),
  q: limitedText(
    'Words of the address and the subject, or their beginnings, whatever the case; nothing is found without a letter or digit.',
    200,
  ),
}

/** Throws unless the entity exists, and a record has one. */
const assertChoice = (catalog: Catalog, { entity, record }: DeliveryChoice): void => {
  if (entity !== undefined) getEntity(catalog, entity)
  else if (record !== undefined)
    throw validationError('request.invalid', [
      { path: 'record', message: 'is only accepted with `entity`' },
    ])
}

const common = { tag: emailTag, who: 'administrator' } as const

const readDelivery = async (pool: Pool, one: number): Promise<JsonText> => {
  const found = await findDelivery(pool, one)
  if (found === undefined) throw unknownDelivery(one)
  return new JsonText(found)
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
    subject: textOrNull,
    headers: { ...texts, description: 'Those that the service sets.' },
    text: { type: 'string' },
    html: textOrNull,
    template: {
      description: 'A template at the provider, which composes the e-mail from the data.',
      anyOf: [objectOf({ id: { type: 'string' }, data: { type: 'object' } }), { type: 'null' }],
    },
    attachments: deliveryAttachments,
  }),
)

const numbers = objectOf(schemasBy(deliveryStatuses, count))
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

/** /api/deliveries. */
export const deliveryEndpoints = [
  endpoint({
    ...common,
    method: 'get',
    path: '/api/deliveries',
    id: 'listDeliveries',
    summary: 'E-mails that were sent or are to be',
    description: 'For administrators, the newest first.',
    query: {
      status: oneOf(deliveryStatuses, { description: 'Which ones.' }),
      channel: oneOf(channelNames, { description: 'Only those of this channel.' }),
      ...choiceParameters,
      ...pageParameters,
    },
    errors: ['entity.unknown'],
    answers: { 200: json('One page.', dataOf(delivery)) },
    handle: async ({ query }, { pool, catalog }: DeliveryDeps) => {
      const { status, channel, entity, record, user, q } = query
      assertChoice(catalog, query)
      const filter = { status, channel, entity, record, user, q, ...pageOf(query) }
      return dataText(await listDeliveries(pool, filter))
    },
  }),
  endpoint({
    ...common,
    method: 'get',
    path: '/api/deliveries/{deliveryId}',
    id: 'readDelivery',
    summary: 'One e-mail, with what became of it',
    params: { deliveryId },
    answers: { 200: json('The delivery.', delivery) },
    handle: async ({ params: { deliveryId: one } }, { pool }: DeliveryDeps) =>
      readDelivery(pool, one),
  }),
  endpoint({
    ...common,
    method: 'post',
    path: '/api/deliveries/{deliveryId}/retry',
    id: 'retryDelivery',
    summary: 'Send a failed e-mail again',
    params: { deliveryId },
    errors: ['delivery.not-failed'],
    answers: { 200: json('The delivery.', delivery) },
    handle: async ({ params: { deliveryId: one } }, { pool }: DeliveryDeps) => {
      const [retried] = await retryDeliveries(pool, { ids: [one] })
      if (retried?.result === 'delivery.not-failed')
        throw apiError('delivery.not-failed', 'The e-mail was sent, or it is on its way.')
      return readDelivery(pool, one)
    },
  }),
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
    handle: ({ query }, { pool, catalog }: DeliveryDeps) => {
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
    handle: async ({ params }, deps: DeliveryDeps) => {
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
    handle: async ({ params, reply }, deps: DeliveryDeps) => {
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
    handle: async ({ body }, { pool }: DeliveryDeps) => {
      assertIdsOrStatus(body)
      return retriedPage(await retryDeliveries(pool, body))
    },
  }),
]

/** The message of a delivery: the stored one, or one that is composed now. */
const readMessage = async ({ pool, composers }: DeliveryDeps, id: number) => {
  const found = await findMessage(pool, id)
  if (!found) throw unknownDelivery(id)
  const { delivery, channel, isLong, sent } = found
  if (!sent && isLong)
    throw apiError('delivery.not-composed', 'Its record is too long to be shown before it is sent.')
  const shown = sent ?? (await composed(composers(channel).then((compose) => compose(delivery))))
  return { found, shown }
}

/** A delivery that cannot be composed would fail for the same reason. */
const composed = (message: Promise<DeliveryMessage>): Promise<DeliveryMessage> =>
  message.catch((error: unknown) => {
    if (!(error instanceof DeliveryError || error instanceof AttachmentsAwaited)) throw error
    throw apiError('delivery.not-composed', errorText(error))
  })
