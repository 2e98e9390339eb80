/** Contracts, for tests of approvals in more than one step. */

/** They are decided on in two steps, of which the second has an action that the first has not. */
export const contracts = {
  'entities/contract.json': {
    ...{ key: 'contract', name: 'Contract', displayField: 'title' },
    fields: [{ key: 'title', name: 'Title', type: 'string', required: true }],
    workflow: {
      initialStep: 'draft',
      steps: [
        { key: 'draft', actions: [{ key: 'submit', kind: 'proceedToStep', to: 'legal' }] },
        {
          key: 'legal',
          actions: [
            { key: 'approve', kind: 'approveWorkflow', to: 'board' },
            { key: 'reject', kind: 'rejectWorkflow', to: 'draft' },
          ],
        },
        {
          key: 'board',
          actions: [
            { key: 'sign', kind: 'approveWorkflow', to: 'signed' },
            { key: 'reject', kind: 'rejectWorkflow', to: 'draft' },
          ],
        },
        { key: 'signed', final: true },
      ],
    },
  },
}
