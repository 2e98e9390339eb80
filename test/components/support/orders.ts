/** Lists of orders in which rows are selected, with roles that may do more or less with them. */
import { page } from 'vitest/browser'
import { orderProject } from '../../support/console/an-order-project.ts'

export const ordersProject = {
  ...orderProject,
  'roles/reader.json': {
    key: 'reader',
    name: 'Reader',
    permissions: { order: { read: true }, customer: { read: true } },
  },
  'roles/clerk.json': {
    key: 'clerk',
    name: 'Clerk',
    permissions: {
      order: { read: true, update: 'own', takeOwnership: true, actions: ['submit'] },
      customer: { read: true },
    },
  },
}

export const numberOf = (id: number): string => `O-${String(id).padStart(6, '0')}`

/** Every column of an order, without a value where it needs none. */
export const emptyOrder = {
  id: 1,
  number: numberOf(1),
  customer_id: 1,
  total: null,
  status: null,
  ordered_on: null,
  sent_at: null,
  quantity: null,
  serial: null,
  is_gift: null,
  link: null,
  contact: null,
  terms: null,
  notes: null,
  approver_id: null,
  approved_by_id: null,
  _step: 'draft',
  _owned_by: 1,
  _is_deleted: false,
  _version: 1,
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

/** The address of the list of orders. */
export const orderList = (search: Readonly<Record<string, unknown>> = {}): string => {
  const printed = Object.entries(search).map(([name, value]) => [name, JSON.stringify(value)])
  return `/order?${new URLSearchParams(printed)}`
}

export const bar = page.getByRole('region', { name: 'Selection' })

/** The box that selects an order. */
export const boxOf = (id: number) =>
  page.getByRole('checkbox', { name: `Select ${numberOf(id)}`, exact: true })
