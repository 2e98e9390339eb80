/** What a definition means now: how many records stand in each step, which documents it has, which groups it names. */
import { queryOptions } from '@tanstack/react-query'
import { searchRecords } from '../client.ts'
import { userKey } from '../queries.ts'
import type { RecordRow } from '../types.ts'

export type StepCount = {
  readonly step: string | null
  readonly count: number
  /** When the record that waits longest was changed last. */
  readonly oldest: string | null
}

const refreshMs = 60_000

const textOrNull = (value: unknown): string | null => (typeof value === 'string' ? value : null)

/** The records of an entity by step, counted by the service. */
export const stepCountsQuery = (entity: string) =>
  queryOptions({
    queryKey: [userKey, 'list', entity, 'steps'],
    queryFn: async ({ signal }): Promise<readonly StepCount[]> => {
      const body = { $group: ['_step'], $aggregate: { min: ['_updated_at'] }, $select: ['id'] }
      const { groups = [] } = await searchRecords(entity, body, { limit: 1, signal })
      return groups.map(({ key, count, min }) => ({
        step: textOrNull(key._step),
        count,
        oldest: textOrNull(min?._updated_at),
      }))
    },
    refetchInterval: refreshMs,
  })

/** The printable documents of an entity. */
export const documentsOfQuery = (entity: string) =>
  queryOptions({
    queryKey: [userKey, 'list', 'printable_document', 'of', entity],
    queryFn: async ({ signal }): Promise<readonly RecordRow[]> => {
      const body = { $where: { entity_key: entity }, $orderBy: ['name'] }
      const page = await searchRecords('printable_document', body, { limit: 100, signal })
      return page.data
    },
  })

const mostGroups = 200

/** The groups of users that have these codes. */
export const groupsQuery = (codes: readonly string[]) =>
  queryOptions({
    queryKey: [userKey, 'list', 'user_group', 'of', codes],
    queryFn: async ({ signal }): Promise<readonly RecordRow[]> => {
      const body = { $where: { code: { $in: codes } }, $select: ['id', 'code', 'name'] }
      const page = await searchRecords('user_group', body, { limit: mostGroups, signal })
      return page.data
    },
  })
