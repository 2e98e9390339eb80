/** The cell of a list that was saved last. */
import { queryOptions, skipToken } from '@tanstack/react-query'
import { userKey } from '../../api/queries.ts'
import type { ListRow } from '../../api/rows/rows.ts'
import type { NewEdit } from './cell-edits.ts'

/** What was saved, and the row as it is since then. */
export type SavedCell = { readonly edit: NewEdit; readonly row: ListRow }

/** Null where nothing is said. */
export const savedCellQuery = (entity: string) =>
  queryOptions<SavedCell | null>({
    queryKey: [userKey, 'saved cell', entity],
    queryFn: skipToken,
    initialData: null,
    staleTime: Number.POSITIVE_INFINITY,
  })
