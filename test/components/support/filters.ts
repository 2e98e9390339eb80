/** Orders of customers in a list, the form of a condition, and what the list asks for with its filter. */
import { expect } from 'vitest'
import { page } from 'vitest/browser'
import { orderProject } from '../../support/console/an-order-project.ts'
import type { Asked, Given, Service } from './answers.ts'
import { finds, foundOf } from './given.ts'
import { type Opening as AnyOpening, addressed, openConsole } from './open-console.tsx'
import { customers } from './orders.ts'

const order = { id: 1, number: 'O-000001', total: '1.50', status: 'open', customer_id: 1 }

const found = (
  entity: string,
  field: string,
  named: readonly { id: number; name: string }[],
  words: string,
) =>
  named
    .filter(({ name }) => name.toLowerCase().includes(words.toLowerCase()))
    .map(({ id, name }) => foundOf(entity, id, name, field))

/** Customers and users by a part of their names, as the choices of a link. */
const search = ({ query }: Asked): Given => {
  const words = query.get('q') ?? ''
  const data =
    query.get('entity') === 'user'
      ? found('user', 'full_name', [{ id: 1, name: 'Administrator' }], words)
      : found('customer', 'name', customers, words)
  return finds(...data)
}

type Opening = AnyOpening & { readonly where?: object }

/** Opens the list of orders with a filter. */
export const openOrders = ({ where, records, answers, ...options }: Opening = {}) =>
  openConsole(`/order?${where ? new URLSearchParams({ w: JSON.stringify(where) }) : ''}`, {
    project: orderProject,
    records: {
      order: [order],
      customer: customers,
      ...(options.role === undefined && { user: [{ id: 1, full_name: 'Administrator' }] }),
      ...records,
    },
    answers: { 'GET /api/search': search, ...answers },
    ...options,
  })

/** The form of a new condition, on a field that is found by a part of its name. */
export const openForm = async (words: string, field: string) => {
  await page.getByRole('button', { name: 'Add a filter' }).click()
  const form = page.getByRole('dialog', { name: 'Add a filter' })
  await form.getByRole('combobox', { name: 'Field', exact: true }).fill(words)
  await form.getByRole('option', { name: field, exact: true }).click()
  return form
}

/** The condition that the list was read with at last. */
export const listedWhere = (service: Service, entity = 'order'): unknown =>
  service.asked
    .filter(({ path }) => path === `/${entity}/search`)
    .map(({ body }) => (body as { $where?: unknown }).$where)
    .at(-1)

/** The address and the last request of the list have this filter. */
export const expectFilter = async (service: Service, $where: object) => {
  await expect.poll(() => addressed('w')).toEqual($where)
  await expect.poll(() => listedWhere(service)).toEqual($where)
}

/** A condition of the list, which is changed where it is shown. */
export const chip = (text: string) =>
  page.getByRole('button', { name: `Change the filter ${text}`, exact: true })
