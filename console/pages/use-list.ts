/** What the page of a list knows of it, and how it changes its address. */
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useCallback, useMemo } from 'react'
import type { Entity } from '../api/types.ts'
import { useColumnLook } from '../features/columns/column-look.ts'
import { columnsOf } from '../features/list/columns.ts'
import { pinnedFirst } from '../features/list/grid-layout.ts'
import { criteriaOf, explicit, type ListSearch, shownColumns } from '../features/list/list-state.ts'
import { useSession } from '../features/session/session.ts'
import { useRememberList } from '../features/views/last-list.ts'

export const useList = (entity: Entity) => {
  const { entities } = useSession()
  const search = useSearch({ from: '/$entity' })
  const navigate = useNavigate({ from: '/$entity' })
  const remember = useRememberList(entity.key)
  const { look, setLook } = useColumnLook(entity.key)
  const all = useMemo(() => columnsOf(entity, entities), [entity, entities])
  const shown = useMemo(() => shownColumns(search, entity, entities), [search, entity, entities])
  const columns = useMemo(() => pinnedFirst(shown, look), [shown, look])
  const list = useMemo(
    () => ({ entity: entity.key, criteria: criteriaOf(search, entity, shown) }),
    [search, entity, shown],
  )
  const setSearch = useCallback(
    (next: ListSearch) => {
      const address = explicit(next)
      remember(address)
      void navigate({ search: address, replace: true })
    },
    [navigate, remember],
  )
  return { search, all, columns, list, setSearch, look, setLook }
}
