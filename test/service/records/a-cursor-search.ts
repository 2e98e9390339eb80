/** Pages of a search of orders by cursor. */
import assert from 'node:assert/strict'
import { createAs, createOrder, startProject, users } from '../../support/a-project.ts'
import type { Reply, TestService } from '../../support/service.ts'

export type Page = {
  data: { id: number }[]
  next: string | null
  previous: string | null
  total?: number
  totalIsExact?: boolean
}

type Orders = {
  readonly service: TestService
  readonly clerkOrder: { readonly id: number }
}

/** 24 orders with values of every type, many of them alike or none; the last one is of the clerk. */
export const startOrders = async (): Promise<Orders> => {
  const service = await startProject()
  const country = await createAs(service, 'country', { code: 'HR', name: 'Croatia' })
  const names = [null, 'Adria', 'Brač', 'Adria']
  const suppliers = []
  for (const [index, name] of names.entries())
    suppliers.push(
      await createAs(service, 'supplier', {
        ...{ code: `S${index}`, name },
        country_id: index === 1 ? country.id : null,
      }),
    )
  for (let index = 0; index < 23; index++)
    await createOrder(service, {
      quantity: index % 4 === 0 ? null : (index % 5) + 1,
      group: index % 3 === 0 ? null : `g'"${index}`,
      serial: index % 2 === 0 ? '9007199254740993' : `-${index}`,
      rate: index % 6 === 0 ? null : `${index % 7}.250`,
      is_urgent: index % 3 === 1,
      needed_by: index % 5 === 0 ? null : `2026-05-${10 + (index % 9)}`,
      placed_at: index % 4 === 1 ? null : `2026-05-04T08:30:0${index % 6}.${100 + index}Z`,
      urgency: ['low', 'normal', 'high'][index % 3],
      supplier_id: suppliers[index % 6]?.id ?? null,
    })
  const clerkOrder = await createOrder(service, { quantity: 3 }, users.clerk)
  return { service, clerkOrder }
}

export const searchOf = (service: TestService) => {
  const search = (body: object, query = '', as?: string): Promise<Reply> =>
    service.ask('POST', `/order/search${query}`, { body, ...(as && { as }) })
  const pageOf = async (body: object, query = '', as?: string): Promise<Page> => {
    const reply = await search(body, query, as)
    assert.equal(reply.status, 200, reply.text)
    return reply.json()
  }
  return { search, pageOf }
}

export const idsOf = ({ data }: Page): readonly number[] => data.map(({ id }) => id)
