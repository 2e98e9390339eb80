/** A project whose orders and lines have calculated fields, and its users. */

import { insertPerson } from '../a-person.ts'
import { entityFile, roleFile } from '../definitions/files.ts'
import { workflowOf } from '../definitions/workflow-of.ts'
import { type AskOptions, startTestService } from '../service.ts'

const money = { type: 'decimal', precision: 12, scale: 2 } as const

/** What a buyer may order for a customer, if for one. */
const withinLimit = { $or: [{ customer: null }, { 'customer.ordered': { $lte: '100' } }] }
const whileDraft = { 'order._step': 'draft' }

export const calculatedProject = {
  ...entityFile('customer', [
    { key: 'name', type: 'string' },
    { key: 'orders', type: 'oneToMany', entity: 'order', mappedBy: 'customer' },
    { key: 'ordered', ...money, rollup: { sum: 'orders.total_eur' } },
    { key: 'parent', type: 'manyToOne', entity: 'customer' },
    { key: 'branches', type: 'oneToMany', entity: 'customer', mappedBy: 'parent' },
    { key: 'branch_count', type: 'integer', rollup: { count: 'branches' } },
  ]),
  'entities/order.json': {
    key: 'order',
    fields: [
      { key: 'number', type: 'string', unique: true },
      { key: 'customer', type: 'manyToOne', entity: 'customer' },
      { key: 'rate', type: 'decimal', precision: 10, scale: 4, default: '1' },
      { key: 'lines', type: 'oneToMany', entity: 'line', mappedBy: 'order' },
      { key: 'total', ...money, rollup: { sum: 'lines.amount' }, indexed: true },
      { key: 'line_count', type: 'integer', rollup: { count: 'lines' } },
      { key: 'last_delivery', type: 'date', rollup: { max: 'lines.delivered_on' } },
      { key: 'cheapest', type: 'decimal', precision: 12, scale: 4, rollup: { min: 'lines.price' } },
      { key: 'total_eur', ...money, formula: 'total * rate' },
      { key: 'vat_eur', ...money, formula: 'round(total_eur * 25 / 100, 2)' },
    ],
    workflow: workflowOf(
      { draft: [{ key: 'submit', kind: 'proceedToStep', to: 'review', form: 'rate' }], review: [] },
      { forms: [{ key: 'rate', fields: ['rate'] }] },
    ),
    // Names nothing that is calculated.
    validations: [
      { key: 'rate', condition: { rate: { $gte: '0' } }, message: 'The rate is negative.' },
    ],
    hooks: [{ type: 'message', hookType: 'AfterChange', functionName: '_sendNotificationHandler' }],
    notifications: [
      {
        operation: 'proceedToStep',
        action: 'submit',
        condition: { vat_eur: { $gte: '100' } },
        recipient: { userFields: ['_created_by'] },
        content: { title: 'Large', message: 'Large' },
      },
      {
        operation: 'create',
        condition: { vat_eur: '0.00' },
        recipient: { userFields: ['_created_by'] },
        content: { title: 'New order with {{ record.line_count }} lines', message: 'New' },
      },
    ],
  },
  ...entityFile('line', [
    { key: 'code', type: 'string', unique: true },
    { key: 'order', type: 'manyToOne', entity: 'order' },
    { key: 'quantity', type: 'integer', default: 1 },
    { key: 'price', type: 'decimal', precision: 12, scale: 4 },
    { key: 'discount', type: 'decimal', precision: 5, scale: 2, default: '0' },
    { key: 'amount', ...money, formula: 'quantity * price * (1 - discount / 100)' },
    { key: 'ordered_on', type: 'date' },
    { key: 'days', type: 'integer' },
    { key: 'delivered_on', type: 'date', formula: 'ordered_on + days' },
    { key: 'share', type: 'decimal', precision: 14, scale: 4, formula: 'price / quantity' },
  ]),
  ...roleFile('buyer', {
    customer: { read: true },
    order: {
      create: true,
      read: true,
      actions: ['submit'],
      conditions: { create: withinLimit },
    },
    line: {
      create: true,
      read: true,
      update: true,
      delete: true,
      conditions: { create: whileDraft, update: whileDraft, delete: whileDraft },
    },
  }),
  ...roleFile('counter', {
    order: { read: true, hiddenFields: ['total', 'rate'] },
    line: { create: true, read: true, update: true, hiddenFields: ['amount'] },
  }),
}

export const buyer = { as: 'buyer@example.com' }
export const counter = { as: 'counter@example.com' }

/** The service with its users, and the ways to write a line. */
export const startCalculated = async () => {
  const service = await startTestService(calculatedProject)
  for (const name of ['buyer', 'counter']) await insertPerson(service.database.pool, name, name)
  const { ask } = service
  const create = async (entity: string, body: object, options: AskOptions = {}) => {
    const reply = await ask('POST', `/${entity}`, { ...options, body })
    if (reply.status !== 201) throw new Error(reply.text)
    return reply.json()
  }
  const orderOf = async (id: number) => (await ask('GET', `/order/${id}`)).json()
  return { service, ask, create, orderOf }
}
