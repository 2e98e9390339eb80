/** Records as choices of a link. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { request, searchRecords } from '../client.ts'
import { userKey } from '../queries.ts'
import type { Entity, RecordRow } from '../types.ts'
import type { FoundRecords } from './found.ts'

/** Records that fit equally well stand in the order of their names: it is names that people look for in a list. */
const byDisplay = (found: FoundRecords['data']): FoundRecords['data'] =>
  [...Map.groupBy(found, ({ match }) => match).values()].flatMap((alike) =>
    alike.toSorted((one, other) =>
      `${one.display}`.localeCompare(`${other.display}`, undefined, { numeric: true }),
    ),
  )

/** Records of an entity that the words name, of those that match; the first ones without words. */
export const choicesQuery = (
  { key, displayField, fields }: Entity,
  words: string,
  $where?: Readonly<Record<string, unknown>>,
) =>
  queryOptions({
    queryKey: [userKey, 'choices', key, words, $where],
    queryFn: async ({ signal }) => {
      const display = fields.find((field) => field.key === displayField)
      const isText = display?.type === 'string' || display?.type === 'text'
      if (words && isText && !$where) {
        const query = { q: words, entity: key, limit: 20 }
        const found = await request<FoundRecords>('/api/search', { query, signal })
        // A choice shows its name alone, so one with the words elsewhere would look wrong; whole codes are meant.
        const fit = found.data.filter((one) => one.field === displayField || one.match === 'exact')
        return byDisplay(fit).map(({ id, display }): RecordRow => ({ id, [displayField]: display }))
      }
      const body = {
        ...($where && { $where }),
        ...(words && isText && { $search: words }),
        $select: [...new Set(['id', displayField])],
        $orderBy: [displayField],
      }
      const page = await searchRecords(key, body, { limit: 20, signal })
      return page.data
    },
    placeholderData: keepPreviousData,
  })
