/** The schema of one entry of a record's history (history.ts). */
import { actionKindNames } from '../definitions/action-kinds.ts'
import { recordOperations } from '../definitions/operations.ts'
import { component } from '../http/openapi/operation.ts'

const oneOf = new Intl.ListFormat('en-GB', { type: 'disjunction' })

export const historyEntry = component('HistoryEntry', {
  type: 'object',
  properties: {
    id: { type: 'integer' },
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
    user: {
      description:
        'Who did it; null: the service itself. The name is null for callers who may not read the user.',
      type: ['object', 'null'],
      properties: { id: { type: 'integer' }, full_name: { type: ['string', 'null'] } },
      required: ['id', 'full_name'],
    },
    at: { type: 'string', format: 'date-time' },
  },
  required: ['id', 'operation', 'changes', 'action', 'comment', 'user', 'at'],
  examples: [
    {
      id: 40,
      operation: 'change',
      changes: { notes: { before: null, after: 'Please ring at the back door.' } },
      action: null,
      comment: null,
      user: { id: 3, full_name: 'Anna Novak' },
      at: '2026-05-04T08:30:00.000Z',
    },
  ],
})
