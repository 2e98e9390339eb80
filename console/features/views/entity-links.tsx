/** Links to the lists of entities in the navigation; each leads to what the user saw last in its list. */
import { useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useCallback, useId } from 'react'
import type { Entity } from '../../api/types.ts'
import { type ListSearch, parseListSearch } from '../grid/list-state.ts'
import { isObject } from '../session/address-values.ts'
import { useSession } from '../session/session.ts'
import { useConsoleSettings } from '../session/use-console-settings.ts'
import './views.css'
import { isChanged, viewsQuery } from './views.ts'

type LinksProps = { readonly entities: readonly Entity[]; readonly onFollow: () => void }

export const EntityLinks = ({
  entities,
  onFollow,
  titleId,
}: LinksProps & { readonly titleId?: string }): ReactNode => {
  const lastOf = useLastLists()
  return (
    <ul aria-labelledby={titleId}>
      {entities.map(({ key, pluralName }) => (
        <li key={key}>
          <Link
            to="/$entity"
            params={{ entity: key }}
            search={lastOf(key)}
            activeOptions={{ includeSearch: false }}
            onClick={onFollow}
            activeProps={{ 'aria-current': 'page' }}
          >
            <span dir="auto">{pluralName}</span>
          </Link>
        </li>
      ))}
    </ul>
  )
}

/** The entities in the groups of the project; those without a group come last. */
export const MenuLinks = ({ entities, onFollow }: LinksProps): ReactNode => {
  const id = useId()
  const groups = Map.groupBy(entities, ({ menuGroup }) => menuGroup?.key ?? '')
  return (
    <div className="menu-links">
      {[...groups].map(([key, members]) => {
        const title = members[0]?.menuGroup?.name
        const titleId = title ? `${id}-${key}` : undefined
        return (
          <div key={key}>
            {title && (
              <p id={titleId} className="menu-title" dir="auto">
                {title}
              </p>
            )}
            <EntityLinks entities={members} onFollow={onFollow} {...(titleId && { titleId })} />
          </div>
        )
      })}
    </div>
  )
}

// What a user saw last in the list of each entity: a setting of the user, shown when the navigation leads to the list.

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
