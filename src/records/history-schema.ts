/** The schema of one entry of a record's history (history.ts). */
import { actionKindNames } from '../definitions/action-kinds.ts'
import { recordOperations } from '../definitions/operations.ts'
import { component } from '../http/openapi/operation.ts'

const oneOf = new Intl.ListFormat('en-GB', { type: 'disjunction' })

/** A user, whose name the reader may not be allowed to know; null as the description says. */
export const namedUserOr = (description: string) => ({
  description,
  type: ['object', 'null'],
  properties: { id: { type: 'integer' }, full_name: { type: ['string', 'null'] } },
  required: ['id', 'full_name'],
})

const properties = {
  id: { type: 'integer' },
  task_id: { type: ['integer', 'null'], description: 'Of an entry about a task of the record.' },
  operation: {
    type: 'string',
    description: `${oneOf.format(recordOperations.map((word) => `\`${word}\``))}.`,
  },
  changes: {
    type: 'object',
    description: 'By field; a create has no `before`. Hidden fields are left out.',
    additionalProperties: {
      type: 'object',
      properties: { before: {}, after: {} },
      required: ['after'],
    },
  },
  action: {
    description: 'The workflow action that was taken, with the steps that were left and reached.',
    type: ['object', 'null'],
    properties: {
      key: { type: 'string' },
      kind: { type: 'string', enum: actionKindNames },
      from: { type: 'string' },
      to: { type: 'string' },
    },
    required: ['key', 'kind', 'from', 'to'],
  },
  comment: { type: ['string', 'null'] },
  user: namedUserOr(
    'Who did it; null: the service itself. The name is null for callers who may not read the user.',
  ),
  acting_user: namedUserOr(
    'Who really acted, signed in as themselves and acting as `user`; null: `user` themselves. Named like `user`.',
  ),
  at: { type: 'string', format: 'date-time' },
} as const

export const historyEntry = component('HistoryEntry', {
  type: 'object',
  properties,
  required: Object.keys(properties),
  examples: [
    {
      id: 40,
      task_id: null,
      operation: 'change',
      changes: { notes: { before: null, after: 'Please ring at the back door.' } },
      action: null,
      comment: null,
      user: { id: 3, full_name: 'Anna Novak' },
      acting_user: null,
      at: '2026-05-04T08:30:00.000Z',
    },
  ],
})

/** An entry with the record that it belongs to. */
export const ownChange = component('OwnChange', {
  type: 'object',
  properties: {
    entity: { type: 'string', description: 'Key of the entity.' },
    entity_id: { type: 'integer', description: 'Id of the record.' },
    ...properties,
  },
  required: ['entity', 'entity_id', ...Object.keys(properties)],
})
