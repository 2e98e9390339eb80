/** Requests with lines that are submitted and approved, and the roles that may do so, one without the names of users. */
export const requestProject = {
  'entities/request.json': {
    key: 'request',
    displayField: 'title',
    fields: [
      { key: 'title', type: 'string' },
      {
        ...{ key: 'amount', type: 'decimal', precision: 14, scale: 2 },
        rollup: { sum: 'lines.amount' },
      },
      { key: 'lines', type: 'oneToMany', entity: 'line', mappedBy: 'request' },
    ],
    workflow: {
      initialStep: 'draft',
      steps: [
        { key: 'draft', actions: [{ key: 'submit', kind: 'proceedToStep', to: 'review' }] },
        { key: 'review', actions: [{ key: 'approve', kind: 'approveWorkflow', to: 'done' }] },
        { key: 'done', final: true },
      ],
    },
  },
  'entities/line.json': {
    key: 'line',
    fields: [
      { key: 'request', type: 'manyToOne', entity: 'request', required: true },
      { key: 'amount', type: 'decimal', precision: 14, scale: 2 },
    ],
  },
  'roles/buyer.json': {
    key: 'buyer',
    permissions: {
      request: {
        ...{ create: true, read: true, update: true, delete: true, tasks: true },
        actions: ['submit'],
      },
      line: { create: true, read: true, update: true },
      task: { read: true },
      user: { read: true },
    },
  },
  'roles/approver.json': {
    key: 'approver',
    permissions: { request: { read: true, actions: ['approve'] }, user: { read: true } },
  },
  'roles/blind.json': {
    key: 'blind',
    permissions: {
      request: { read: true, actions: ['approve'] },
      user: { read: true, hiddenFields: ['full_name', 'first_name', 'last_name'] },
    },
  },
}
