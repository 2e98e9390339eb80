/** The requests of the load, the same for the service and for its peer. */
import { randomUUID } from 'node:crypto'
import { orderCount } from '../email/fill.ts'
import type { Request } from '../http-client.ts'
import { customerCount } from '../invoice-project.ts'
import { isDoneAtFirst, sizesOf } from '../tasks/fill.ts'

/** What there is to choose among. */
export type Choice = {
  /** Invoices or tasks. */
  readonly rows?: number
  /** The latest notifications of the caller, and when the last one came. */
  readonly ids?: readonly string[]
  readonly latest?: string
}

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

const openTask = (rows: number): number => {
  const task = below(rows)
  return isDoneAtFirst(task) ? openTask(rows) : task
}

const newTask = (rows: number, assigne_id: number | null): Request => {
  const { records } = sizesOf(rows)
  const link = () => ({ key: 'invoice', entity_id: below(records) })
  return {
    method: 'POST',
    path: `/invoice/${below(records)}/task`,
    body: {
      description: 'Call the customer',
      due_date: '2030-01-02 10:00:00',
      assigne_id,
      payload: '{"a":1}',
      related_entities: [link(), link()],
    },
  }
}

const completeTask = (rows: number): Request => {
  const task = openTask(rows)
  const path = `/invoice/${(task % sizesOf(rows).records) + 1}/${task}`
  return { method: 'PUT', path, body: { is_completed: true } }
}

const someOf = (ids: readonly string[], count: number): string[] => {
  const begin = Math.floor(Math.random() * (ids.length - count))
  return ids.slice(begin, begin + count)
}

// A mark changes what the one before it has changed back.
const mark = (turn: number, body: object): Request => ({
  method: 'PUT',
  path: '/api/notifications/mark',
  body: { ...body, status: turn % 2 ? 'seen' : 'unseen' },
})

const get = (path: string) => (): Request => ({ path })

/** One request of each kind; the turn counts those of a connection. */
export const operations = {
  'read an invoice': ({ rows = 1 }: Choice) => ({ path: `/invoice/${below(rows)}` }),
  'list invoices': get('/invoice?limit=20'),
  'search invoices': () => ({
    method: 'POST',
    path: '/invoice/search?limit=20',
    body: { $where: { customer: below(customerCount), quantity: { $gte: 100 } } },
  }),
  'create an invoice': () => ({ method: 'POST', path: '/invoice', body: newInvoice() }),
  'list tasks of a record': ({ rows = 1 }: Choice) => ({
    path: `/invoice/${below(sizesOf(rows).records)}/task`,
  }),
  'list own overdue tasks': get('/api/tasks?status=overdue&limit=20'),
  'count own tasks': get('/api/tasks/count'),
  'complete a task': ({ rows = 1 }: Choice) => completeTask(rows),
  'create a task': ({ rows = 1 }: Choice) => newTask(rows, null),
  // Somebody is notified, which the peer does not do.
  'assign a new task': ({ rows = 1 }: Choice) => newTask(rows, below(sizesOf(rows).people)),
  'list notifications': get('/api/notifications?limit=20'),
  'list unseen notifications': get('/api/notifications?limit=20&status=unseen'),
  'count notifications': get('/api/notifications/count'),
  'count unseen notifications': get('/api/notifications/count?status=unseen'),
  'mark 100 notifications': ({ ids = [] }: Choice, turn: number) =>
    mark(turn, { ids: someOf(ids, 100) }),
  'mark all notifications': ({ latest }: Choice, turn: number) =>
    mark(turn, { ids: [], before: latest }),
  'read an order': (_: Choice, turn: number) => ({
    path: `/purchase_order/${1 + (turn % orderCount)}`,
  }),
} satisfies Record<string, (choice: Choice, turn: number) => Request>

export type Operation = keyof typeof operations
