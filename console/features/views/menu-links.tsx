/** The entities of the navigation, in the groups of the project; what no group names comes last. */
import { type ReactNode, useId } from 'react'
import { EntityLinks, type LinksProps } from './entity-links.tsx'
import './menu-links.css'

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
