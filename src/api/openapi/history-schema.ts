/** The schema of one entry of a record's history (src/records/history.ts). */
import type { JsonSchema } from '../../http/described-operation.ts'

export const historyEntrySchema: JsonSchema = {
  type: 'object',
  properties: {
    id: { type: 'integer' },
    operation: {
      type: 'string',
      description: '`create`, `change`, `remove`, `takeOwnership`, or a workflow action.',
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
    comment: { type: ['string', 'null'] },
    user: {
      description: 'Who did it; null: the service itself.',
      type: ['object', 'null'],
      properties: { id: { type: 'integer' }, full_name: { type: ['string', 'null'] } },
      required: ['id', 'full_name'],
    },
    at: { type: 'string', format: 'date-time' },
  },
  required: ['id', 'operation', 'changes', 'comment', 'user', 'at'],
  examples: [
    {
      id: 40,
      operation: 'change',
      changes: { notes: { before: null, after: 'Please ring at the back door.' } },
      comment: null,
      user: { id: 3, full_name: 'Anna Novak' },
      at: '2026-05-04T08:30:00.000Z',
    },
  ],
}
