/** Where a record stands in the list that it was opened from; it goes with the entry of the browser's history. */
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useMemo, useRef } from 'react'
import type { ListRequest } from '../../api/queries.ts'
import type { ListPlace } from '../../api/records/neighbours.ts'
import { shownPlace } from '../../api/rows/rows.ts'
import type { RecordRow } from '../../api/types.ts'

declare module '@tanstack/react-router' {
  interface HistoryState {
    place?: ListPlace | undefined
  }
}

type FindPlace = (entity: string, id: number) => ListPlace | undefined

let findInShown: FindPlace | undefined

/** The place of a record in the list that is shown, if its row is the one that is pointed at. */
export const placeInList: FindPlace = (entity, id) => findInShown?.(entity, id)

type Shown = {
  readonly rowAt: (index: number) => RecordRow | undefined
  /** The place that is pointed at, by mouse or keys. */
  readonly active: { readonly row: number }
}

/** Knows the place of the row from which a record is opened, and opens it; the same as long as the page is shown. */
export const useListPlace = (
  list: ListRequest,
  { rowAt, active }: Shown,
): ((row: RecordRow) => void) => {
  const navigate = useNavigate()
  const client = useQueryClient()
  const { row } = active
  const latest = useRef({ list, rowAt, row })
  useEffect(() => {
    latest.current = { list, rowAt, row }
  }, [list, rowAt, row])
  const { findPlace, open } = useMemo(() => {
    const findPlace: FindPlace = (entity, id) => {
      const now = latest.current
      if (now.list.entity !== entity || now.rowAt(now.row)?.id !== id) return undefined
      const { $select: _columns, ...criteria } = now.list.criteria
      return { criteria, position: now.row + 1, from: shownPlace(client, now.list, now.row) }
    }
    const open = ({ id }: RecordRow) => {
      const { entity } = latest.current.list
      const state = { place: findPlace(entity, id) }
      void navigate({ to: '/$entity/$id', params: { entity, id: `${id}` }, state })
    }
    return { findPlace, open }
  }, [client, navigate])
  useEffect(() => {
    findInShown = findPlace
    return () => {
      findInShown = undefined
    }
  }, [findPlace])
  return open
}
