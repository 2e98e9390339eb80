/** The requests of the load, the same for the service and for the bare server. */
import { randomUUID } from 'node:crypto'
import { customerCount } from '../invoice-project.ts'

type Request = { readonly method: string; readonly path: string; readonly body?: unknown }

const below = (limit: number) => 1 + Math.floor(Math.random() * limit)

const newInvoice = () => ({
  number: randomUUID().slice(0, 32),
  title: 'Delivery, part 3',
  notes: 'He said "ship it"\nand größer',
  reference: 'a7f3c2',
  status: 'open',
  quantity: below(1000),
  net: '1234.50',
  tax: '246.90',
  rate: '0.2000',
  issued_on: '2026-05-04',
  due_on: '2026-06-04',
  is_paid: false,
  sent_at: '2026-05-04T08:30:00.000Z',
  customer_id: below(customerCount),
})

/** One request of each kind, at random among `rows` records. */
export const operations = {
  read: (rows: number): Request => ({ method: 'GET', path: `/invoice/${below(rows)}` }),
  list: (): Request => ({ method: 'GET', path: '/invoice?limit=20' }),
  search: (): Request => ({
    method: 'POST',
    path: '/invoice/search?limit=20',
    body: { $where: { customer: below(customerCount), quantity: { $gte: 100 } } },
  }),
  create: (): Request => ({ method: 'POST', path: '/invoice', body: newInvoice() }),
}
