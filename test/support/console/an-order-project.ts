/** A project of orders and customers, with a field of every type and a workflow. */
import { entityFile } from '../definitions/files.ts'

export const orderProject = {
  'docket.json': { name: 'Shop', locale: 'en', timeZone: 'Europe/Zagreb' },
  ...entityFile('customer', { name: 'Customer', displayField: 'name' }, [
    { key: 'name', name: 'Name', type: 'string', required: true },
    { key: 'city', name: 'City', type: 'string' },
  ]),
  'entities/order.json': {
    key: 'order',
    name: 'Order',
    displayField: 'number',
    ownership: true,
    fields: [
      { key: 'number', name: 'Number', type: 'string', required: true, unique: true },
      { key: 'customer', name: 'Customer', type: 'manyToOne', entity: 'customer', required: true },
      { key: 'total', name: 'Total', type: 'decimal', precision: 14, scale: 2 },
      { key: 'status', name: 'Status', type: 'enum', values: ['open', 'paid'] },
      { key: 'ordered_on', name: 'Ordered on', type: 'date' },
      { key: 'sent_at', name: 'Sent at', type: 'timestamp' },
      { key: 'quantity', name: 'Quantity', type: 'integer' },
      { key: 'serial', name: 'Serial number', type: 'bigint' },
      { key: 'is_gift', name: 'Gift', type: 'boolean' },
      { key: 'link', name: 'Link', type: 'url' },
      { key: 'contact', name: 'Contact', type: 'email' },
      { key: 'terms', name: 'Terms', type: 'json' },
      { key: 'notes', name: 'Notes', type: 'text', description: 'What the carrier must know.' },
      { key: 'approver', name: 'Approver', type: 'manyToOne', entity: 'user' },
      { key: 'approved_by', name: 'Approved by', type: 'manyToOne', entity: 'user' },
    ],
    hooks: [
      {
        type: 'message',
        hookType: 'AfterChange',
        functionName: '_sendNotificationHandler',
      },
    ],
    notifications: [
      {
        operation: 'proceedToStep',
        action: 'submit',
        recipient: { userFields: ['_created_by'] },
        content: { title: '{{ record.number }} moved on', message: 'It is in {{ record._step }}.' },
      },
    ],
    workflow: {
      initialStep: 'draft',
      steps: [
        {
          key: 'draft',
          name: 'Draft',
          actions: [{ key: 'submit', kind: 'proceedToStep', to: 'review' }],
        },
        {
          key: 'review',
          name: 'In review',
          actions: [
            { key: 'approve', kind: 'approveWorkflow', to: 'approved', form: 'approve' },
            { key: 'reject', kind: 'rejectWorkflow', to: 'draft' },
          ],
        },
        { key: 'approved', name: 'Approved', final: true },
      ],
      forms: [{ key: 'approve', fields: ['notes'], callerFields: ['approved_by'] }],
    },
  },
}
