/** A project of offers in several currencies, whose prices have a unit behind a link, and weights that all have the same. */
const permissions = { read: true, update: true, actions: ['submit', 'approve', 'reject'] }

export const offerProject = {
  'docket.json': { name: 'Offers', locale: 'en' },
  'entities/currency.json': {
    ...{ key: 'currency', name: 'Currency', displayField: 'code' },
    fields: [
      { key: 'code', name: 'Code', type: 'string' },
      { key: 'offers', name: 'Offers', type: 'oneToMany', entity: 'offer', mappedBy: 'currency' },
    ],
  },
  'entities/offer.json': {
    ...{ key: 'offer', name: 'Offer', displayField: 'number' },
    fields: [
      { key: 'number', name: 'Number', type: 'string', required: true },
      { key: 'currency', name: 'Currency', type: 'manyToOne', entity: 'currency' },
      {
        ...{ key: 'price', name: 'Price', type: 'decimal', precision: 20, scale: 2 },
        unit: { field: 'currency.code' },
      },
      { key: 'weight', name: 'Weight', type: 'integer', unit: 'kg' },
      { key: 'kind', name: 'Kind', type: 'enum', values: ['goods', 'service'] },
    ],
    exportSettings: {
      columnDefs: ['number', 'price', 'weight', 'kind'].map((field) => ({ field })),
    },
    workflow: {
      initialStep: 'draft',
      steps: [
        { key: 'draft', actions: [{ key: 'submit', kind: 'proceedToStep', to: 'review' }] },
        {
          key: 'review',
          actions: [
            { key: 'approve', kind: 'approveWorkflow', to: 'approved' },
            { key: 'reject', kind: 'rejectWorkflow', to: 'draft' },
          ],
        },
        { key: 'approved', final: true },
      ],
    },
  },
  /** May not see currencies. */
  'roles/clerk.json': { ...{ key: 'clerk', name: 'Clerk' }, permissions: { offer: permissions } },
}
