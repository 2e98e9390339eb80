/** What the page of a list knows of it, and how it changes its address. */
import { hashKey, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useCallback, useEffect, useMemo, useState } from 'react'
import type { ListRequest } from '../api/queries.ts'
import { windowQuery } from '../api/rows/rows.ts'
import type { Entity } from '../api/types.ts'
import { useColumnLook } from '../features/grid/column-look.ts'
import { pinnedFirst } from '../features/grid/grid-layout.ts'
import { explicit, type ListSearch, requestOf, shownColumns } from '../features/grid/list-state.ts'
import { useSession } from '../features/session/session.ts'
import { columnsOf, type ListColumn } from '../features/values/columns.ts'
import { useRememberList } from '../features/views/last-list.ts'

export const useList = (entity: Entity, search: ListSearch) => {
  const { entities } = useSession()
  const navigate = useNavigate({ from: '/$entity' })
  const remember = useRememberList(entity.key)
  const { look, setLook } = useColumnLook(entity.key)
  const all = useMemo(() => columnsOf(entity, entities), [entity, entities])
  const shown = useMemo(() => shownColumns(search, entity, entities), [search, entity, entities])
  const columns = useMemo(() => pinnedFirst(shown, look), [shown, look])
  const list = useMemo(() => requestOf(search, entity, shown), [search, entity, shown])
  const wanted = useMemo(() => ({ search, columns, list }), [search, columns, list])
  const setSearch = useCallback(
    (next: ListSearch) => {
      const address = explicit(next)
      remember(address)
      void navigate({ search: address, replace: true })
    },
    [navigate, remember],
  )
  return { wanted, shown: useArrived(wanted), all, setSearch, look, setLook }
}

/** What a list is asked for, and the columns in which it is shown. */
export type ListView = {
  readonly search: ListSearch
  readonly columns: readonly ListColumn[]
  readonly list: ListRequest
}

// Nobody sees rows change to empty places and back in less.
const patienceMs = 300

/** The view whose rows have arrived: the one before stays until then, or until they are late. */
const useArrived = (wanted: ListView): ListView => {
  const [shown, setShown] = useState(wanted)
  const [late, setLate] = useState<ListRequest>()
  const { list } = wanted
  const isSame = list === shown.list || hashKey([list]) === hashKey([shown.list])
  const { isPending } = useQuery({ ...windowQuery(list, 0), enabled: !isSame })
  const hasArrived = isSame || !isPending || late === list
  useEffect(() => {
    if (hasArrived) return
    const timer = setTimeout(() => setLate(list), patienceMs)
    return () => clearTimeout(timer)
  }, [list, hasArrived])
  if (hasArrived && wanted !== shown) setShown(wanted)
  return hasArrived ? wanted : shown
}
