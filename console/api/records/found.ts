/** Records that are found by words: in all entities, or as choices of a link. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { request } from '../client.ts'
import { userKey } from '../queries.ts'
import type { Entity, Found, RecordPage } from '../types.ts'

/** The records of all entities that fit some words best. */
export const foundQuery = (words: string) =>
  queryOptions({
    queryKey: [userKey, 'found', words],
    queryFn: async ({ signal }) => {
      const query = { q: words, limit: 5 }
      const page = await request<{ data: readonly Found[] }>('/api/search', { query, signal })
      return page.data
    },
    placeholderData: keepPreviousData,
  })

/** Records of an entity whose display field has the words in it. */
export const choicesQuery = ({ key, displayField, fields }: Entity, words: string) =>
  queryOptions({
    queryKey: [userKey, 'choices', key, words],
    queryFn: async ({ signal }) => {
      const display = fields.find((field) => field.key === displayField)
      const isText = display?.type === 'string' || display?.type === 'text'
      const where = words && isText ? { [displayField]: { $ilike: `%${escaped(words)}%` } } : {}
      const body = { $where: where, $select: ['id', displayField], $orderBy: [displayField] }
      const page = await request<RecordPage>(`/${key}/search`, {
        ...{ method: 'POST', query: { limit: 20 }, body, signal },
      })
      return page.data
    },
    placeholderData: keepPreviousData,
  })

/** A text that stands for itself in a pattern. */
const escaped = (text: string): string => text.replaceAll(/[\\%_]/g, '\\$&')
