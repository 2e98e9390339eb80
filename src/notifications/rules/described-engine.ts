/** Describes the path that explains notifications (explain-routes.ts). */
import { notifiedOperations } from '../../definitions/operations.ts'
import { type DescribedFeature, jsonContent } from '../../http/described-operation.ts'

const recipientsSchema = {
  type: 'array',
  description: 'The first 100 of them.',
  items: {
    type: 'object',
    properties: {
      user: { type: 'object' },
      told: { type: 'boolean' },
      reason: { type: ['string', 'null'] },
      content: { type: 'object' },
      fault: { type: 'string', description: 'Why its templates fail.' },
    },
  },
}

/** Who would be told of an operation, and why or why not. */
export const explainFeature: DescribedFeature = {
  operations: () => [
    {
      method: 'post',
      path: '/api/notifications/explain',
      id: 'explainNotifications',
      tag: 'Notifications',
      summary: 'Who would be told, and why or why not',
      description: 'For administrators. As if you did it now; nothing is sent or stored.',
      body: {
        isRequired: true,
        schema: {
          type: 'object',
          properties: {
            entityKey: { type: 'string' },
            entityId: { type: 'integer', minimum: 1 },
            operation: { type: 'string', enum: notifiedOperations },
            action: { type: 'string', description: 'Key of the action; with proceedToStep.' },
          },
          required: ['entityKey', 'entityId', 'operation'],
          additionalProperties: false,
        },
        examples: {
          approve: {
            value: {
              entityKey: 'purchase_order',
              entityId: 1,
              operation: 'proceedToStep',
              action: 'approve',
            },
          },
        },
      },
      answers: {
        200: {
          description: 'Every entry of the definition, with the people it names.',
          content: jsonContent({
            type: 'object',
            properties: {
              isActive: {
                type: 'boolean',
                description: 'Whether the definition has the hook that sends notifications.',
              },
              entries: {
                type: 'array',
                items: {
                  type: 'object',
                  properties: {
                    index: { type: 'integer' },
                    operation: { type: 'string' },
                    action: { type: ['string', 'null'] },
                    matches: { type: 'boolean' },
                    reason: { type: 'string', description: 'Why it does not match.' },
                    count: { type: 'integer', description: 'People who are named.' },
                    missingGroups: {
                      type: 'array',
                      description: 'Codes that no group has; the message fails until one has.',
                      items: { type: 'string' },
                    },
                    recipients: recipientsSchema,
                  },
                },
              },
            },
          }),
        },
      },
      errors: ['request.invalid', 'caller.forbidden', 'entity.unknown', 'record.unknown'],
    },
  ],
}
