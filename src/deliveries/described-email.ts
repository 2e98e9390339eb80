/** Describes the paths of e-mails: deliveries, wishes, and the click that ends them. */

import { attachmentOperations, mailOperations, emailTag as tag } from '../email/described-mail.ts'
import {
  type DescribedFeature,
  type DescribedOperation,
  type JsonSchema,
  jsonContent,
  type Parameter,
  schemaRef,
} from '../http/described-operation.ts'
import { limit, page } from '../http/described-parameters.ts'
import { deliveryStatuses } from './delivery.ts'

const deliveryId: Parameter = {
  name: 'deliveryId',
  in: 'path',
  required: true,
  description: 'Id of the delivery.',
  schema: { type: 'integer', minimum: 1 },
}

const token: Parameter = {
  name: 'token',
  in: 'query',
  required: true,
  description: 'As it stands in the e-mail.',
  schema: { type: 'string' },
}

const time: JsonSchema = { type: ['string', 'null'], format: 'date-time' }

const deliverySchema: JsonSchema = {
  type: 'object',
  properties: {
    id: { type: 'integer' },
    entity_key: { type: 'string' },
    entity_id: { type: 'integer' },
    operation: { type: 'string' },
    entry: { type: 'string', description: 'Place of the entry in the definition.' },
    user: {
      type: 'object',
      properties: { id: { type: 'integer' }, full_name: { type: ['string', 'null'] } },
    },
    status: { type: 'string', enum: [...deliveryStatuses] },
    tries: { type: 'integer' },
    last_error: { type: ['string', 'null'] },
    next_try_at: time,
    created_at: time,
    sent_at: time,
    attachments: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          position: { type: 'integer' },
          filename: { type: 'string' },
          mimetype: { type: ['string', 'null'] },
          size: { type: ['integer', 'null'] },
          fault: { type: ['string', 'null'], description: 'Why it could not be made.' },
        },
      },
    },
  },
}

const preferencesSchema: JsonSchema = {
  type: 'object',
  properties: {
    data: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          entity: { type: 'string' },
          operation: { type: 'string' },
          email: { type: 'boolean' },
        },
        required: ['entity', 'operation', 'email'],
        additionalProperties: false,
      },
    },
  },
  required: ['data'],
  additionalProperties: false,
}

const dataOf = (name: string): JsonSchema => ({
  type: 'object',
  properties: { data: { type: 'array', items: schemaRef(name) } },
  required: ['data'],
})

const filters: readonly Parameter[] = [
  {
    name: 'status',
    in: 'query',
    description: 'Which ones.',
    schema: { type: 'string', enum: [...deliveryStatuses] },
  },
  { name: 'entity', in: 'query', description: 'Key of the entity.', schema: { type: 'string' } },
  { name: 'user', in: 'query', description: 'Id of the recipient.', schema: { type: 'integer' } },
]

const one = { description: 'The delivery.', content: jsonContent(schemaRef('Delivery')) }

const deliveryOperations: readonly DescribedOperation[] = [
  {
    method: 'get',
    path: '/api/deliveries',
    id: 'listDeliveries',
    tag,
    summary: 'E-mails that were sent or are to be',
    description: 'For administrators, the newest first.',
    parameters: [...filters, limit, page],
    answers: { 200: { description: 'One page.', content: jsonContent(dataOf('Delivery')) } },
    errors: ['request.invalid', 'caller.forbidden', 'entity.unknown'],
  },
  {
    method: 'get',
    path: '/api/deliveries/{deliveryId}',
    id: 'readDelivery',
    tag,
    summary: 'One e-mail, with what became of it',
    parameters: [deliveryId],
    answers: { 200: one },
    errors: ['request.invalid', 'caller.forbidden', 'delivery.unknown'],
  },
  {
    method: 'post',
    path: '/api/deliveries/{deliveryId}/retry',
    id: 'retryDelivery',
    tag,
    summary: 'Send an e-mail that failed once more',
    parameters: [deliveryId],
    answers: { 200: one },
    errors: ['request.invalid', 'caller.forbidden', 'delivery.unknown', 'delivery.not-failed'],
  },
]

const preferenceOperations: readonly DescribedOperation[] = [
  {
    method: 'get',
    path: '/api/notifications/preferences',
    id: 'listPreferences',
    tag,
    summary: 'Which e-mails you want',
    answers: {
      200: { description: 'Every kind.', content: jsonContent(schemaRef('Preferences')) },
    },
    errors: ['request.invalid'],
  },
  {
    method: 'put',
    path: '/api/notifications/preferences',
    id: 'savePreferences',
    tag,
    summary: 'Say which e-mails you want',
    description: 'What is not named stays. Stored notifications always stay.',
    body: {
      isRequired: true,
      schema: schemaRef('Preferences'),
      examples: {
        fewer: {
          value: { data: [{ entity: 'purchase_order', operation: 'create', email: false }] },
        },
      },
    },
    answers: {
      200: { description: 'Every kind.', content: jsonContent(schemaRef('Preferences')) },
    },
    errors: ['request.invalid'],
  },
  {
    method: 'get',
    path: '/api/notifications/unsubscribe',
    id: 'showUnsubscribe',
    tag,
    summary: 'The page behind the link of an e-mail',
    description: 'Changes nothing: programs that check mails look at every link.',
    parameters: [token],
    isPublic: true,
    answers: {
      200: { description: 'A page.', content: { 'text/html': { schema: { type: 'string' } } } },
    },
    errors: ['request.invalid', 'request.no-such-path'],
  },
  {
    method: 'post',
    path: '/api/notifications/unsubscribe',
    id: 'unsubscribe',
    tag,
    summary: 'No more e-mails like this (RFC 8058)',
    parameters: [token],
    isPublic: true,
    answers: {
      200: { description: 'Done.', content: { 'text/plain': { schema: { type: 'string' } } } },
    },
    errors: ['request.invalid', 'request.no-such-path'],
  },
]

/** What operators and recipients may do about e-mails. */
export const emailFeature: DescribedFeature = {
  tags: [{ name: tag, description: 'E-mails of notifications.' }],
  operations: () => [
    ...deliveryOperations,
    ...preferenceOperations,
    ...attachmentOperations,
    ...mailOperations,
  ],
  schemas: { Delivery: deliverySchema, Preferences: preferencesSchema },
}
