/** A project whose roles may write orders and their lines under conditions, and users of these roles. */
import { insertUser } from '../../../src/users/user-store.ts'
import { type AskOptions, startTestService, writeProject } from '../../support/service.ts'

export const isDraft = { _step: 'draft' }
const orderIsDraft = { 'order._step': 'draft' }
const withinLimit = { total: { $lte: { $caller: 'limit' } } }

const project = {
  'entities/user.json': {
    ...{ extends: 'native', key: 'user' },
    fields: [{ key: 'limit', type: 'decimal', precision: 14, scale: 2 }],
  },
  'entities/order.json': {
    key: 'order',
    ownership: true,
    fields: [
      { key: 'number', type: 'string' },
      { key: 'total', type: 'decimal', precision: 14, scale: 2 },
      { key: 'lines', type: 'oneToMany', entity: 'line', mappedBy: 'order' },
      { key: 'remarks', type: 'oneToMany', entity: 'remark', mappedBy: 'order' },
    ],
    workflow: {
      initialStep: 'draft',
      steps: [
        { key: 'draft', actions: [{ key: 'submit', kind: 'proceedToStep', to: 'review' }] },
        { key: 'review', actions: [{ key: 'withdraw', kind: 'proceedToStep', to: 'draft' }] },
      ],
    },
  },
  'entities/line.json': {
    key: 'line',
    fields: [
      { key: 'order', type: 'manyToOne', entity: 'order' },
      { key: 'price', type: 'integer' },
    ],
  },
  'entities/remark.json': {
    key: 'remark',
    fields: [
      { key: 'order', type: 'manyToOne', entity: 'order' },
      { key: 'text', type: 'string' },
    ],
  },
  'roles/buyer.json': {
    key: 'buyer',
    permissions: {
      order: {
        ...{ create: true, read: true, update: true, delete: true, takeOwnership: true },
        actions: ['submit', 'withdraw'],
        conditions: { update: isDraft, delete: isDraft },
      },
      line: {
        ...{ create: true, read: true, update: true, delete: true },
        conditions: {
          create: { ...orderIsDraft, price: { $gt: 0 } },
          update: orderIsDraft,
          delete: orderIsDraft,
        },
      },
      remark: { create: true, read: true },
    },
  },
  // Does not see the step.
  'roles/manager.json': {
    key: 'manager',
    permissions: {
      order: {
        ...{ create: true, read: true, update: true, hiddenFields: ['_step'] },
        conditions: { create: withinLimit, update: { ...withinLimit, ...isDraft } },
      },
    },
  },
}

/** The service with a buyer, and a manager whose limit is 100.00. */
export const startConditional = async () => {
  const service = await startTestService(await writeProject(project))
  const ask = (method: string, path: string, options: AskOptions = {}) =>
    service.ask(method, path, options)
  for (const [name, limit] of [
    ['buyer', null],
    ['manager', '100.00'],
  ] as const) {
    const id = await insertUser(service.database.pool, {
      ...{ identity_provider_user_id: name, email: `${name}@example.com`, role_key: name },
      ...{ first_name: name, last_name: 'Example', full_name: `${name} Example` },
    })
    await ask('PATCH', `/user/${id}`, { body: { limit } })
  }
  const create = async (entity: string, body: object): Promise<number> =>
    (await ask('POST', `/${entity}`, { body })).json().id
  const act = (id: number, action: string, who: AskOptions = {}) =>
    ask('POST', `/order/${id}/proceedToStep`, { ...who, body: { action } })
  const orderIn = async (step: 'draft' | 'review', body: object = {}) => {
    const id = await create('order', body)
    if (step === 'review') await act(id, 'submit')
    return id
  }
  return { service, ask, create, act, orderIn }
}

export const buyer = { as: 'buyer@example.com' }
export const manager = { as: 'manager@example.com' }
