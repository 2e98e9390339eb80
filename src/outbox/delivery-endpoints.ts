/** Deliveries over HTTP, for administrators: which were sent, which failed, and sending one again. */
import type { Pool } from '../database/pool.ts'
import { type Catalog, getEntity } from '../definitions/catalog.ts'
import { channelNames } from '../definitions/schemas/notification-rule.ts'
import { apiError, validationError } from '../errors.ts'
import { dataText, JsonText } from '../http/endpoint/declaration.ts'
import { endpoint } from '../http/endpoint/endpoint.ts'
import { limitedText } from '../http/endpoint/limited-text.ts'
import {
  id,
  integer,
  maxRecordId,
  oneOf,
  pageOf,
  pageParameters,
  text,
} from '../http/endpoint/parameters.ts'
import { component, dataOf, json, objectOf, type ValueOf } from '../http/openapi/operation.ts'
import { namedUserOr } from '../records/history.ts'
import { deliveryStatuses } from './delivery.ts'
import {
  type DeliveryChoice,
  findDelivery,
  listDeliveries,
  retryDeliveries,
} from './delivery-list.ts'

export type DeliveryDeps = { readonly pool: Pool; readonly catalog: Catalog }

/** The tag of deliveries and preferences. */
export const emailTag = 'E-mail'

/** The error of a delivery that does not exist. */
export const unknownDelivery = (deliveryId: number | string) =>
  apiError('delivery.unknown', `There is no delivery ${deliveryId}.`)

/** As far as JSON has whole numbers. */
export const maxDeliveryId = Number.MAX_SAFE_INTEGER

/** `deliveryId` of a path. */
export const deliveryId = id({
  max: maxDeliveryId,
  description: 'Id of the delivery.',
  unknown: unknownDelivery,
  errors: ['delivery.unknown'],
})

const time = { type: 'string', format: 'date-time' } as const
const timeOrNull = { type: ['string', 'null'], format: 'date-time' } as const

/** The attachments of a delivery, without their bytes. */
export const deliveryAttachments = {
  type: 'array',
  items: objectOf({
    position: { type: 'integer' },
    filename: { type: 'string' },
    mimetype: { type: ['string', 'null'] },
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
      { id: { type: 'integer' }, full_name: { type: ['string', 'null'] } },
      { description: 'The recipient.' },
    ),
    status: { type: 'string', enum: deliveryStatuses },
    tries: { type: 'integer' },
    last_error: { type: ['string', 'null'] },
    next_try_at: timeOrNull,
    created_at: time,
    sent_at: timeOrNull,
    address: {
      type: ['string', 'null'],
      description:
        'The e-mail address as it was used, before that the current one; or the name of the webhook.',
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
export const choiceParameters = {
  entity: text('Key of the entity.'),
  record: integer({ min: 1, max: maxRecordId, description: 'Id of the record; with `entity`.' }),
  user: integer({ min: 1, max: maxRecordId, description: 'Id of the recipient.' }),
  q: limitedText(
    'Words of the address and the subject, or their beginnings, whatever the case; nothing is found without a letter or digit.',
    200,
  ),
}

/** Throws unless the entity exists, and a record has one. */
export const assertChoice = (catalog: Catalog, { entity, record }: DeliveryChoice): void => {
  if (entity !== undefined) getEntity(catalog, entity)
  else if (record !== undefined)
    throw validationError('request.invalid', [
      { path: 'record', message: 'is only accepted with `entity`' },
    ])
}

const common = { tag: emailTag, who: 'administrator' } as const

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
]

const readDelivery = async (pool: Pool, one: number): Promise<JsonText> => {
  const found = await findDelivery(pool, one)
  if (found === undefined) throw unknownDelivery(one)
  return new JsonText(found)
}
