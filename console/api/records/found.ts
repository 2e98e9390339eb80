/** Records that are found by words: in all entities, or as choices of a link. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { FoundRecords } from '../../../src/records/find-in-entities.ts'
import { request, searchRecords } from '../client.ts'
import { userKey } from '../queries.ts'
import type { Entity, RecordRow } from '../types.ts'

export type { FoundRecords }

/** The records of all entities that fit some words best, so many of each at most. */
export const foundQuery = (words: string, limit: number) =>
  queryOptions({
    queryKey: [userKey, 'found', words, limit],
    queryFn: ({ signal }) =>
      request<FoundRecords>('/api/search', { query: { q: words, limit }, signal }),
    placeholderData: keepPreviousData,
  })

/** Some fields of records of one entity, by their ids. */
export const factsQuery = (entity: string, ids: readonly number[], paths: readonly string[]) =>
  queryOptions({
    queryKey: [userKey, 'facts', entity, ids, paths],
    queryFn: async ({ signal }) => {
      const body = { $where: { id: { $in: ids } }, $select: [...new Set(['id', ...paths])] }
      const page = await searchRecords(entity, body, { limit: ids.length, signal })
      return new Map(page.data.map((row) => [row.id, row]))
    },
    enabled: paths.length > 0,
  })

const collator = new Intl.Collator(undefined, { numeric: true })

/** Records that fit equally well stand in the order of their names: it is names that people look for in a list. */
const byDisplay = (found: FoundRecords['data']): FoundRecords['data'] =>
  [...Map.groupBy(found, ({ match }) => match).values()].flatMap((alike) =>
    alike.toSorted((one, other) => collator.compare(one.display ?? '', other.display ?? '')),
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
