/** Bulk writes of orders, and what they say of each record. */
import assert from 'node:assert/strict'
import { createOrder, users } from '../../support/a-project.ts'
import type { AskOptions, Reply, TestService } from '../../support/service.ts'

export type Outcome = {
  id: number
  status: string
  version: number | null
  code: string | null
  detail: string | null
  errors: { path: string; message: string }[]
}

export type Bulk = ReturnType<typeof createBulk>

export const createBulk = (service: TestService) => {
  const send = (body: unknown, options: AskOptions = {}): Promise<Reply> =>
    service.ask('POST', '/order/bulk', { ...options, body })
  return {
    send,
    outcomesOf: async (body: object, options?: AskOptions): Promise<Outcome[]> => {
      const reply = await send(body, options)
      assert.equal(reply.status, 200, reply.text)
      const { data, counts } = reply.json()
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
    read: async (id: number) => (await service.ask('GET', `/order/${id}`)).json(),
  }
}

export const shortly = (outcomes: Outcome[]) =>
  outcomes.map(({ status, code }) => (code === null ? status : `${status} ${code}`))

export const as = (who: keyof typeof users) => ({ as: users[who] })
