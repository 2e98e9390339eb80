/** Removed records of several entities, the ones that were removed last first. */
import { queryOptions } from '@tanstack/react-query'
import { ApiProblem, searchRecords } from '../client.ts'
import { userKey } from '../queries.ts'
import type { RecordRow } from '../types.ts'

// Removing a record is the last change of it.
export const removerColumn = '_updated_by'
export const momentColumn = '_updated_at'

/** What is read of the removed records of an entity. */
export type WantedRemoved = {
  readonly entity: string
  readonly paths: readonly string[]
  /** Whether the user may see when a record was removed, so that it can be sorted by that. */
  readonly isDated: boolean
}

export type RemovedRow = { readonly entity: string; readonly row: RecordRow }

export type RemovedRows = {
  readonly rows: readonly RemovedRow[]
  /** Entities that could not be read, such as large ones within the time of a statement. */
  readonly incomplete: readonly string[]
}

// The entities of a project may be many, and the service has other callers.
const mostAtOnce = 4

const findRemoved = async (
  { entity, paths, isDated }: WantedRemoved,
  { words, limit, signal }: Options,
): Promise<readonly RemovedRow[]> => {
  const body = {
    $where: { _is_deleted: true },
    ...(words !== '' && { $search: words }),
    $select: [...new Set(['id', '_version', ...paths])],
    $orderBy: isDated ? [`-${momentColumn}`, '-id'] : ['-id'],
  }
  const page = await searchRecords(entity, body, { limit, signal })
  return page.data.map((row) => ({ entity, row }))
}

type Options = { readonly words: string; readonly limit: number; readonly signal: AbortSignal }

const momentOf = ({ row }: RemovedRow): string => String(row[momentColumn] ?? '')

/** So many of all of them; each entity gives as many, so that none is missing among them. */
export const removedRowsQuery = (wanted: readonly WantedRemoved[], words: string, limit: number) =>
  queryOptions({
    // Whatever a write of records reads again is read with it.
    queryKey: [userKey, 'record', { removed: wanted }, words, limit],
    queryFn: async ({ signal }): Promise<RemovedRows> => {
      const rows: RemovedRow[] = []
      const incomplete: string[] = []
      for (let at = 0; at < wanted.length; at += mostAtOnce) {
        const some = wanted.slice(at, at + mostAtOnce)
        const answers = await Promise.allSettled(
          some.map((one) => findRemoved(one, { words, limit, signal })),
        )
        for (const [place, answer] of answers.entries()) {
          if (answer.status === 'fulfilled') rows.push(...answer.value)
          else if (wanted.length > 1 && isOfEntity(answer.reason))
            incomplete.push(some[place]?.entity ?? '')
          else throw answer.reason
        }
      }
      const sorted = rows.toSorted((one, other) => (momentOf(one) < momentOf(other) ? 1 : -1))
      return { rows: sorted.slice(0, limit), incomplete }
    },
    // What is offered must be what can be restored.
    staleTime: 0,
  })

/** Whether the service answered, so that the other entities may still be read. */
const isOfEntity = (error: unknown): boolean =>
  error instanceof ApiProblem && error.status !== 0 && error.status !== 401
