/** An address that names a view alone shows, when it is opened, what the view holds. */
import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { Entity } from '../../api/types.ts'
import { isViewAlone, type ListSearch } from '../list/list-state.ts'
import { useSession } from '../session/session.ts'
import { searchOf, viewsQuery } from './views.ts'

/** Whether what the view holds is still on its way. */
export const useOpenedView = (
  { key }: Entity,
  search: ListSearch,
  onOpen: (search: ListSearch) => void,
): boolean => {
  const { me, entities } = useSession()
  const isAllowed = entities.get('saved_view')?.permissions.create === true
  const views = useQuery({ ...viewsQuery(key, me), enabled: isAllowed })
  const isAlone = isViewAlone(search)
  const view = isAlone ? views.data?.find(({ id }) => id === search.view) : undefined
  useEffect(() => {
    if (view) onOpen(searchOf(view))
  }, [view, onOpen])
  return isAlone && (view !== undefined || (isAllowed && views.isPending))
}
