/** The rows of a list, read in windows as they come into view. */
import { useQueries, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { type ListRequest, rowsPerWindow, windowQuery } from '../../api/queries.ts'
import type { RecordRow } from '../../api/types.ts'

// While somebody scrolls fast, what only flies by is not asked for.
const windowsAtOnce = 3

export type Rows = {
  /** Undefined while it is on its way. */
  readonly rowAt: (index: number) => RecordRow | undefined
  readonly error: Error | null
  readonly isFirstPending: boolean
}

/** Reads the windows that hold the rows from `first` to `end`, and the next one ahead of its need. */
export const useRows = (list: ListRequest, first: number, end: number): Rows => {
  const from = Math.floor(first / rowsPerWindow)
  const to = Math.max(Math.floor((end - 1) / rowsPerWindow), from)
  const indexes = Array.from(
    { length: Math.min(to - from + 1, windowsAtOnce) },
    (_, offset) => from + offset,
  )
  const results = useQueries({ queries: indexes.map((index) => windowQuery(list, index)) })
  const client = useQueryClient()
  const isNearEnd = end % rowsPerWindow > rowsPerWindow * 0.7
  const isComplete = results.at(-1)?.data?.length === rowsPerWindow
  useEffect(() => {
    if (isNearEnd && isComplete) void client.prefetchQuery(windowQuery(list, to + 1))
  }, [client, list, to, isNearEnd, isComplete])
  return {
    rowAt: (index) => {
      const window = results[Math.floor(index / rowsPerWindow) - from]
      return window?.data?.[index % rowsPerWindow]
    },
    error: results.find(({ error }) => error)?.error ?? null,
    isFirstPending: from === 0 && results[0]?.isPending === true,
  }
}
