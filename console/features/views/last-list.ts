/** What a user saw last in the list of each entity: a setting of the user, shown when the navigation leads to the list. */
import { useQueryClient } from '@tanstack/react-query'
import { useCallback } from 'react'
import { type ListSearch, parseListSearch } from '../grid/list-state.ts'
import { isObject } from '../session/address-values.ts'
import { useSession } from '../session/session.ts'
import { useConsoleSettings } from '../session/use-console-settings.ts'
import { isChanged, viewsQuery } from './views.ts'

// Some dozens of them fit into the settings of a user.
const maxLength = 2000

const nameOf = (entity: string): string => `list.${entity}`

/** The address of the last list of an entity. */
export const useLastLists = (): ((entity: string) => ListSearch) => {
  const { settings } = useConsoleSettings()
  return (entity) => {
    const last = settings[nameOf(entity)]
    return isObject(last) ? parseListSearch(last) : {}
  }
}

/** Remembers the address to which the user changes a list, but not addresses that come from others. */
export const useRememberList = (entity: string): ((search: ListSearch) => void) => {
  const client = useQueryClient()
  const { me } = useSession()
  const { change } = useConsoleSettings()
  return useCallback(
    (search) => {
      const views = client.getQueryData(viewsQuery(entity, me).queryKey)
      const view = views?.find(({ id }) => id === search.view)
      // A view may change until then.
      const last: ListSearch = view && !isChanged(search, view) ? { view: view.id } : search
      const isKept = Object.keys(last).length > 0 && JSON.stringify(last).length <= maxLength
      change({ [nameOf(entity)]: isKept ? last : null })
    },
    [client, entity, me, change],
  )
}
