/** What was sent about a record, for administrators. */
import { queryOptions } from '@tanstack/react-query'
import { request } from '../client.ts'
import { type Delivery, deliveriesKey } from './deliveries.ts'

const mostDeliveries = 200

/** By the entry of the history that each is about. */
export const sentAboutQuery = (entity: string, record: number) =>
  queryOptions({
    queryKey: [...deliveriesKey, 'about', entity, record],
    queryFn: async ({ signal }): Promise<ReadonlyMap<number, readonly Delivery[]>> => {
      const query = { entity, record, limit: mostDeliveries }
      const page = await request<{ data: readonly Delivery[] }>('/api/deliveries', {
        query,
        signal,
      })
      const known = page.data.flatMap((one) =>
        one.history_id === null ? [] : [{ ...one, entryId: one.history_id }],
      )
      return Map.groupBy(known, ({ entryId }) => entryId)
    },
  })
