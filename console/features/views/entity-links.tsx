/** Links to the lists of entities in the navigation; each leads to what the user saw last in its list. */
import { Link } from '@tanstack/react-router'
import { type ReactNode, useId } from 'react'
import type { Entity } from '../../api/types.ts'
import { useLastLists } from './last-list.ts'
import './views.css'

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
