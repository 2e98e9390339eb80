/** Bulk writes of orders in the shared project. */
import assert from 'node:assert/strict'
import { createOrder, sharedProject } from '../../support/a-project.ts'
import type { AskOptions } from '../../support/service.ts'

export type Outcome = {
  id: number
  status: string
  version: number | null
  code: string | null
  detail: string | null
  errors: { path: string; message: string }[]
}

/** The shared project, and what tests of bulk writes do with it. */
export const openBulk = async () => {
  const service = await sharedProject()
  const { ask } = service
  const bulk = (body: unknown, options: AskOptions = {}) =>
    ask('POST', '/order/bulk', { ...options, body })
  return {
    ...service,
    bulk,
    outcomesOf: async (body: object, options?: AskOptions): Promise<Outcome[]> => {
      const { data, counts } = (await bulk(body, options)).json(200)
      for (const status of ['done', 'unchanged', 'refused'])
        assert.equal(counts[status], data.filter((one: Outcome) => one.status === status).length)
      return data
    },
    /** The ids of new orders. */
    orders: async (count: number, values: object = {}, as?: string): Promise<number[]> => {
      const ids: number[] = []
      for (let made = 0; made < count; made++)
        ids.push((await createOrder(service, { ...values }, as)).id)
      return ids
    },
    read: async (id: number) => (await ask('GET', `/order/${id}`)).json(),
    historyOf: async (id: number) => (await ask('GET', `/order/${id}/history`)).json().data,
  }
}
