/** The records before and after one in a list, by the cursors of the service. */
import { queryOptions } from '@tanstack/react-query'
import { searchRecords } from '../client.ts'
import { userKey } from '../queries.ts'
import type { Cursors, PageFrom } from '../rows/rows.ts'
import type { Criteria, RecordPage } from '../types.ts'
export type ListPlace = {
  readonly criteria: Pick<Criteria, '$where' | '$search' | '$orderBy'>
  /** From 1. */
  readonly position: number
  /** Where it is found by the service. */
  readonly from?: PageFrom
  /** Of this row, where a cursor led to it. */
  readonly cursors?: Cursors
}

export type Neighbour = { readonly id: number; readonly place: ListPlace }

export type Neighbours = {
  readonly next: Neighbour | undefined
  readonly previous: Neighbour | undefined
}

type CursorPage = RecordPage & Cursors

const none: Neighbours = { next: undefined, previous: undefined }

/** One row of the list and the cursors around it. */
const readRow = (
  entity: string,
  { criteria }: ListPlace,
  at: PageFrom['cursor'] & { readonly page?: number },
  signal: AbortSignal,
): Promise<CursorPage> => {
  const { page, ...cursor } = at
  const body = { ...criteria, $select: ['id'], ...cursor }
  return searchRecords<CursorPage>(entity, body, { limit: 1, page, signal })
}

/** Read once: what is done with the record meanwhile does not move the others. */
export const neighboursQuery = (entity: string, id: number, place: ListPlace) =>
  queryOptions({
    queryKey: [userKey, 'neighbours', entity, id, place],
    queryFn: async ({ signal }): Promise<Neighbours> => {
      const cursors = place.cursors ?? (await findCursors(entity, id, place, signal))
      if (!cursors) return none
      const go = async (steps: 1 | -1): Promise<Neighbour | undefined> => {
        const cursor = steps === 1 ? cursors.next : cursors.previous
        if (cursor === null) return undefined
        const at = steps === 1 ? { $after: cursor } : { $before: cursor }
        const { data, next, previous } = await readRow(entity, place, at, signal)
        const position = place.position + steps
        const { criteria } = place
        return (
          data[0] && { id: data[0].id, place: { criteria, position, cursors: { next, previous } } }
        )
      }
      const [next, previous] = await Promise.all([go(1), go(-1)])
      return { next, previous }
    },
    staleTime: Number.POSITIVE_INFINITY,
  })

/** The cursors around a row by its position; undefined if another record stands there now. */
const findCursors = async (
  entity: string,
  id: number,
  place: ListPlace,
  signal: AbortSignal,
): Promise<Cursors | undefined> => {
  const { cursor, page } = place.from ?? { cursor: { $after: null }, page: place.position }
  const row = await readRow(entity, place, { page, ...cursor }, signal)
  return row.data[0]?.id === id ? row : undefined
}
