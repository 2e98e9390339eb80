/** The first of what waits for the user, for a page that shows a few of each kind. */
import { queryOptions } from '@tanstack/react-query'
import { searchRecords } from '../client.ts'
import { userKey } from '../queries.ts'
import type { Condition, Me } from '../types.ts'

/** How many of each kind the page shows. */
export const fewRows = 5

export type ViewLink = {
  readonly id: number
  readonly name: string
  readonly entity: string
}

/** Views of all entities that fit a condition, by name, and their number. */
export const viewLinksQuery = (me: Me, condition: Condition, limit: number) =>
  queryOptions({
    queryKey: [userKey, 'views', 'links', me.id, condition, limit],
    queryFn: async ({ signal }) => {
      const $select = ['id', 'name', 'entity_key']
      const body = { $where: condition, $select, $orderBy: ['name', 'id'], $count: true }
      const page = await searchRecords('saved_view', body, { limit, signal })
      const views = page.data.map(
        ({ id, name, entity_key }): ViewLink => ({
          id,
          name: String(name),
          entity: String(entity_key),
        }),
      )
      return { views, total: page.total ?? views.length }
    },
  })
