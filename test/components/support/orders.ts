/** Lists of orders in which rows are selected, with roles that may do more or less with them. */
import { page } from 'vitest/browser'
import type { RecordRow } from '../../../console/api/types.ts'
import { orderProject } from '../../support/console/an-order-project.ts'
import { namedRole } from '../../support/definitions/files.ts'
import { keepRecords } from './keep-records.ts'
import { type Opening, openConsole } from './open-console.tsx'

export const ordersProject = {
  ...orderProject,
  ...namedRole('Reader', { order: { read: true }, customer: { read: true } }),
  ...namedRole('Planner', {
    order: { read: true, tasks: true },
    customer: { read: true },
  }),
  ...namedRole('Clerk', {
    order: { read: true, update: 'own', takeOwnership: true, actions: ['submit'] },
    customer: { read: true },
  }),
}

export const numberOf = (id: number): string => `O-${String(id).padStart(6, '0')}`

const withoutValue = [
  ...['total', 'status', 'ordered_on', 'sent_at', 'quantity', 'serial', 'is_gift', 'link'],
  ...['contact', 'terms', 'notes', 'approver_id', 'approved_by_id'],
]

/** Every column of an order, without a value where it needs none. */
export const emptyOrder = {
  ...Object.fromEntries(withoutValue.map((column) => [column, null])),
  id: 1,
  number: numberOf(1),
  customer_id: 1,
  _step: 'draft',
  _version: 1,
  _owned_by: 1,
  _is_deleted: false,
  _created_by: 1,
  _updated_by: 1,
  _created_at: '2026-01-01T00:00:00.000Z',
  _updated_at: '2026-01-01T00:00:00.000Z',
}

export const customers = Array.from({ length: 20 }, (_, at) => ({
  id: at + 1,
  name: `Customer ${at + 1}`,
}))

/** Names the customer of an order, as a list does. */
export const withCustomer = (row: Readonly<Record<string, unknown>>) => ({
  ...row,
  customer: customers.find(({ id }) => id === row.customer_id),
})

/** Orders from 1 on; every second one is open, the others are paid. */
export const ordersUpTo = (count: number) =>
  Array.from({ length: count }, (_, at) => at + 1).map((id) => ({
    ...emptyOrder,
    id,
    number: numberOf(id),
    customer_id: 1 + (id % 20),
    total: `${id}.50`,
    status: id % 2 === 0 ? 'open' : 'paid',
    quantity: id % 7,
  }))

export const adria = [{ id: 1, name: 'Adria Metal' }]

/** The address of the list of orders. */
export const orderList = (search: Readonly<Record<string, unknown>> = {}): string => {
  const printed = Object.entries(search).map(([name, value]) => [name, JSON.stringify(value)])
  return `/order?${new URLSearchParams(printed)}`
}

export const bar = page.getByRole('region', { name: 'Selection' })

/** The box that selects an order. */
export const boxOf = (id: number) =>
  page.getByRole('checkbox', { name: `Select ${numberOf(id)}`, exact: true })

/** Opens the console with orders that the page, or another user, changes. */
export const openKept = async (
  path: string,
  orders: readonly RecordRow[],
  { records, answers, ...options }: Opening = {},
) => {
  const named = records?.customer ?? customers
  const kept = keepRecords('order', orders, (row) => ({
    ...row,
    customer: named.find(({ id }) => id === row.customer_id),
  }))
  const service = await openConsole(path, {
    project: ordersProject,
    // What the pointer is over is read before it is opened.
    records: { order: orders.slice(0, 200), customer: named },
    answers: { ...kept.answers, ...answers },
    ...options,
  })
  return { kept, service }
}
