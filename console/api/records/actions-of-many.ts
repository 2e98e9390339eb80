/** Which actions are open to the user for which of several records, as the service decides it. */
import { queryOptions } from '@tanstack/react-query'
import type { ActionOfRecords } from '../../../src/workflow/workflow-schemas.ts'
import { request } from '../client.ts'
import { userKey } from '../queries.ts'

/** The most records of one question. */
export const mostAsked = 100

/** By key of an action, for how many of the records it is open; an action that is open for none is left out. */
export const actionsOfManyQuery = (entity: string, ids: readonly number[]) =>
  queryOptions({
    queryKey: [userKey, 'list', entity, 'actions', ids],
    queryFn: async ({ signal }): Promise<ReadonlyMap<string, number>> => {
      const { data } = await request<{ data: readonly ActionOfRecords[] }>(`/${entity}/actions`, {
        method: 'POST',
        body: { ids },
        signal,
      })
      return new Map(data.map((one) => [one.key, one.ids.length]))
    },
  })
