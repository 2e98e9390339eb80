/** The requests of the load, the same for the service and for the bare server. */
import { isDoneAtFirst, sizesOf } from './fill.ts'

export type Request = { readonly method: string; readonly path: string; readonly body?: object }

const below = (limit: number) => 1 + Math.floor(Math.random() * limit)

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

/** One request of each kind, on tables of so many tasks. */
export const operations = {
  list: (rows: number): Request => ({
    method: 'GET',
    path: `/invoice/${below(sizesOf(rows).records)}/task`,
  }),
  create: (rows: number): Request => newTask(rows, null),
  // Somebody is told of it, which the peer does not do.
  assign: (rows: number): Request => newTask(rows, below(sizesOf(rows).people)),
  complete: (rows: number): Request => {
    const { records } = sizesOf(rows)
    const task = openTask(rows)
    const path = `/invoice/${(task % records) + 1}/${task}`
    return { method: 'PUT', path, body: { is_completed: true } }
  },
  overdue: (): Request => ({ method: 'GET', path: '/api/tasks?status=overdue&limit=20' }),
  count: (): Request => ({ method: 'GET', path: '/api/tasks/count' }),
}

export type Operation = keyof typeof operations
