/** Searches of orders: the reply, or a page and the ids in it. */
import assert from 'node:assert/strict'
import type { Reply, TestService } from '../../support/service.ts'

export type Page = {
  data: { id: number }[]
  next: string | null
  previous: string | null
  total?: number
  totalIsExact?: boolean
}

export const searchOf = ({ ask }: TestService) => {
  const search = (body: object, query = '', as?: string): Promise<Reply> =>
    ask('POST', `/order/search${query}`, { body, as })
  const pageOf = async (body: object, query = '', as?: string): Promise<Page> => {
    const reply = await search(body, query, as)
    assert.equal(reply.status, 200, reply.text)
    return reply.json()
  }
  return { search, pageOf }
}

export const idsOf = ({ data }: Page): readonly number[] => data.map(({ id }) => id)
