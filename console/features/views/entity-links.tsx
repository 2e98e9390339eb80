/** Links to entities, each as its list was last. */
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Entity } from '../../api/types.ts'
import { useLastLists } from './last-list.ts'

export type LinksProps = { readonly entities: readonly Entity[]; readonly onFollow: () => void }

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
