/** The views of a list that the user may open, and the one that is open. */
import { useQuery } from '@tanstack/react-query'
import type { Entity } from '../../api/types.ts'
import type { ListSearch } from '../grid/list-state.ts'
import { useSession } from '../session/session.ts'
import { type SavedView, viewsQuery } from './views.ts'

type Views = {
  /** Whether the user may have views at all. */
  readonly isAllowed: boolean
  /** Whether they are still on their way. */
  readonly isPending: boolean
  readonly all: readonly SavedView[]
  readonly current: SavedView | undefined
}

export const useViews = ({ key }: Entity, search: ListSearch): Views => {
  const { me, entities } = useSession()
  const isAllowed = entities.get('saved_view')?.permissions.create === true
  const { data: all = [], isPending } = useQuery({ ...viewsQuery(key, me), enabled: isAllowed })
  const current = all.find(({ id }) => id === search.view)
  return { isAllowed, isPending: isAllowed && isPending, all, current }
}
