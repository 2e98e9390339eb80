/** An address that names a view alone shows, when it is opened, what the view holds. */
import { useEffect } from 'react'
import type { Entity } from '../../api/types.ts'
import { isViewAlone, type ListSearch } from '../grid/list-state.ts'
import { useViews } from './use-views.ts'
import { searchOf } from './views.ts'

/** Whether what the view holds is still on its way. */
export const useOpenedView = (
  entity: Entity,
  search: ListSearch,
  onOpen: (search: ListSearch) => void,
): boolean => {
  const { isPending, current } = useViews(entity, search)
  const isAlone = isViewAlone(search)
  const view = isAlone ? current : undefined
  useEffect(() => {
    if (view) onOpen(searchOf(view))
  }, [view, onOpen])
  return isAlone && (view !== undefined || isPending)
}
