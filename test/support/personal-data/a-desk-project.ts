/** A project about people: customers with personal fields, and tickets that link to them and notify of them. */

import { entityFile, exporting, roleFile } from '../definitions/files.ts'
import { hooks } from '../notifications/an-engine-project.ts'
import type { ProjectFiles } from '../service.ts'

const ruleOf = (operation: string, title: string, message: string, more: object = {}) => ({
  operation,
  recipient: { userFields: ['_created_by'] },
  content: { title, message },
  ...more,
})

const attaching = (name: string) => ({ attachments: { documentFunctions: [name] } })

const actions = [{ key: 'close', kind: 'proceedToStep', to: 'closed' }]

/** Handlers of changes fail, so that their jobs stay. Everything about the mark of a person is in personal fields, and in what people write about them. */
export const deskProject: ProjectFiles = {
  ...entityFile(
    'customer',
    {
      displayField: 'last_name',
      hooks: [...hooks, { ...hooks[0], functionName: 'mirror' }],
      workflow: {
        initialStep: 'open',
        steps: [
          { key: 'open', actions, locks: { fields: ['last_name'] } },
          { key: 'closed', final: true, locks: { fields: 'all' } },
        ],
      },
      // Amounts that no other test uses.
      retention: [
        { after: '2 years', where: { credit: '7.00' }, operation: 'remove' },
        { after: '10 years', of: 'born_on', where: { credit: '8.00' }, operation: 'anonymise' },
      ],
      notifications: [
        ruleOf(
          'create',
          '{{ record.first_name }} of {{ record.city }}',
          '{{ record.phone }} {{ record.born_on }} {{ actor.full_name }}',
          attaching('native/record-json'),
        ),
        ruleOf('proceedToStep', '{{ record.last_name | upcase }}', '{{ comment }}', {
          action: 'close',
        }),
      ],
    },
    [
      { key: 'code', type: 'string', required: true, unique: true },
      { key: 'first_name', type: 'string', required: true, personal: true },
      { key: 'last_name', type: 'string', required: true, personal: true, maxLength: 40 },
      { key: 'mail', type: 'email', required: true, unique: true, personal: true },
      { key: 'phone', type: 'phone', personal: true, region: 'DE' },
      { key: 'city', type: 'string', personal: true },
      { key: 'born_on', type: 'date', required: true, personal: true },
      { key: 'children', type: 'integer', personal: true },
      { key: 'twice', type: 'integer', formula: 'children * 2' },
      { key: 'profile', type: 'json', personal: true },
      { key: 'remark', type: 'text', personal: true },
      { key: 'credit', type: 'decimal', precision: 12, scale: 2 },
      { key: 'recommended_by', type: 'manyToOne', entity: 'customer' },
    ],
  ),
  ...entityFile(
    'ticket',
    {
      hooks,
      retention: [
        { after: '90 days', of: '_updated_at', where: { _is_deleted: true }, operation: 'remove' },
      ],
      exportSettings: exporting('subject', 'customer.last_name'),
      notifications: [
        ruleOf(
          'create',
          'For {{ record.customer.first_name }} {{ record.customer.last_name }}',
          '{{ record.customer.mail }}, {{ record.customer.city }} ({{ actor.full_name }})',
          {
            ...attaching('native/entity-export'),
            recipient: { userFields: ['_created_by', 'agent'] },
          },
        ),
      ],
    },
    [
      { key: 'subject', type: 'string' },
      { key: 'customer', type: 'manyToOne', entity: 'customer' },
      { key: 'agent', type: 'manyToOne', entity: 'user' },
    ],
  ),
  ...roleFile('agent', {
    customer: {
      create: true,
      read: true,
      update: true,
      delete: true,
      tasks: true,
      actions: ['close'],
    },
    ticket: { create: true, read: true },
    user: { read: true },
  }),
  ...roleFile('officer', {
    customer: { read: true, anonymise: true },
    ticket: { read: true },
    user: { read: true, anonymise: true },
  }),
  ...roleFile('remover', {
    customer: { read: true, delete: true, purge: true, hiddenFields: ['remark'] },
    ticket: { read: 'own', delete: true },
  }),
  ...roleFile('own_remover', {
    customer: { create: true, read: true, delete: true, purge: 'own' },
  }),
  ...roleFile('own', { customer: { create: true, read: true, anonymise: 'own' } }),
  'message-handlers/mirror.js': `export const exec = async ({ record, operation }) => {
  if (operation === 'change') throw new Error('No room for ' + record.last_name)
}
`,
}
