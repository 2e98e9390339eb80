/** A project whose roles have conditions on what they write: of the record, of a linked one, of the caller, and of what is calculated. */
import { createUser } from '../../support/console/create-user.ts'
import { entityFile, link, many, roleFile } from '../../support/definitions/files.ts'
import { workflowOf } from '../../support/definitions/workflow-of.ts'
import { type AskOptions, shareService, startTestService } from '../../support/service.ts'

const money = { type: 'decimal', precision: 14, scale: 2 }
const proceed = (key: string, to: string, more: object = {}) => ({
  key,
  kind: 'proceedToStep',
  to,
  ...more,
})
const all = { create: true, read: true, update: true, delete: true }
export const isDraft = { _step: 'draft' }
const orderIsDraft = { 'order._step': 'draft' }
const withinLimit = { cap: { $lte: { $caller: 'limit' } } }
const withinCap = { 'order.total': { $lte: { $field: 'order.cap' } } }
const withinBudget = { spent: { $lte: { $field: 'budget' } } }

const entities = {
  ...entityFile('user', { extends: 'native' }, [{ key: 'limit', ...money }]),
  ...entityFile('account', [
    many('orders', 'order', 'account'),
    { key: 'turnover', ...money, rollup: { sum: 'orders.total' } },
  ]),
  'entities/order.json': {
    key: 'order',
    ownership: true,
    fields: [
      { key: 'number', type: 'string', unique: true },
      { key: 'cap', ...money },
      ...[link('account'), link('twin', 'order')],
      ...[many('lines', 'line', 'order'), many('remarks', 'remark', 'order')],
      { key: 'total', ...money, rollup: { sum: 'lines.amount' } },
      { key: 'line_count', type: 'integer', rollup: { count: 'lines' } },
    ],
    workflow: workflowOf({
      draft: [
        proceed('submit', 'review'),
        proceed('pick', 'picked', { condition: { 'twin._step': 'draft' } }),
        proceed('close', 'picked', {
          condition: { remarks: { $some: {}, $none: { text: 'open' } } },
        }),
      ],
      review: [proceed('withdraw', 'draft')],
      picked: [],
    }),
  },
  'entities/line.json': {
    key: 'line',
    fields: [link('order'), { key: 'amount', ...money }],
    workflow: workflowOf(
      {
        open: [
          proceed('raise', 'open', {
            form: 'amount',
            condition: { 'order.total': { $lt: { $field: 'order.cap' } } },
          }),
        ],
      },
      { forms: [{ key: 'amount', fields: ['amount'] }] },
    ),
  },
  ...entityFile('remark', [
    link('order'),
    { key: 'text', type: 'string' },
    { key: 'place', type: 'string' },
    { key: 'note', type: 'string' },
  ]),
  'entities/project.json': {
    key: 'project',
    fields: [
      { key: 'spent', ...money },
      { key: 'budget', type: 'integer' },
    ],
    hooks: [{ type: 'message', hookType: 'AfterChange', functionName: '_sendNotificationHandler' }],
    notifications: [
      {
        operation: 'create',
        condition: { spent: { $gt: { $field: 'budget' } } },
        recipient: { userFields: ['_created_by'] },
      },
    ],
    workflow: workflowOf({ open: [proceed('end', 'done', { condition: withinBudget })], done: [] }),
  },
}

const roles = {
  // Writes drafts and their lines alone.
  ...roleFile('buyer', {
    account: { read: true },
    order: {
      ...all,
      takeOwnership: true,
      actions: ['submit', 'withdraw'],
      conditions: { update: isDraft, delete: isDraft },
    },
    line: {
      ...all,
      conditions: {
        create: { ...orderIsDraft, amount: { $gt: '0' } },
        update: orderIsDraft,
        delete: orderIsDraft,
      },
    },
    remark: { create: true, read: true },
  }),
  // Does not see the step.
  ...roleFile('manager', {
    order: {
      create: true,
      read: true,
      update: true,
      hiddenFields: ['_step'],
      conditions: { create: withinLimit, update: { ...withinLimit, ...isDraft } },
    },
  }),
  // Writes no remark after the last one.
  ...roleFile('author', {
    order: { read: true },
    remark: {
      create: true,
      read: true,
      conditions: { create: { 'order.remarks': { $none: { place: 'last' } } } },
    },
  }),
  // Keeps orders within their cap and with two lines.
  ...roleFile('clerk', {
    order: { read: true },
    line: {
      ...all,
      actions: ['raise'],
      conditions: {
        create: withinCap,
        update: withinCap,
        delete: { 'order.line_count': { $gte: 2 } },
      },
    },
    project: { read: true, actions: ['end'], hiddenFields: ['budget'] },
  }),
}

export const author = { as: 'author@example.com' }
export const buyer = { as: 'buyer@example.com' }
export const manager = { as: 'manager@example.com' }
export const clerk = { as: 'clerk@example.com' }

const share = shareService(async () => {
  const service = await startTestService({ ...entities, ...roles })
  for (const name of ['author', 'buyer', 'clerk']) await createUser(service, name)
  const id = await createUser(service, 'manager')
  await service.ask('PATCH', `/user/${id}`, { body: { limit: '100.00' } })
  return service
})

/** The service, and the ways to write its records, by default as an administrator. */
export const startConditions = async () => {
  const service = await share()
  const { ask } = service
  const create = async (entity: string, body: object): Promise<number> =>
    (await ask('POST', `/${entity}`, { body })).json(201).id
  const act = (id: number, action: string, who: AskOptions = {}) =>
    ask('POST', `/order/${id}/proceedToStep`, { ...who, body: { action } })
  const orderIn = async (step: 'draft' | 'review', body: object = {}) => {
    const id = await create('order', body)
    if (step === 'review') await act(id, 'submit')
    return id
  }
  const orderWith = async (amounts: readonly string[], body: object = {}) => {
    const id = await create('order', body)
    const lines: number[] = []
    for (const amount of amounts) lines.push(await create('line', { order_id: id, amount }))
    return { id, lines }
  }
  return { ask, pool: service.database.pool, create, act, orderIn, orderWith }
}
