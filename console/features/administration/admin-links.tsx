/**
 * The administration in the navigation: its pages and the entities of the service itself, open while one is shown. Who
 * administers nothing has the entities alone.
 */
import { Link, useParams, useRouterState } from '@tanstack/react-router'
import { type ReactNode, useEffect, useRef } from 'react'
import type { Entity } from '../../api/types.ts'
import { useTexts } from '../../texts/texts.ts'
import { usePages } from '../session/pages.ts'
import { useSession } from '../session/session.ts'
import { EntityLinks } from '../views/entity-links.tsx'
import './admin-links.css'

type LinksProps = {
  /** Those of the service itself that the user may see. */
  readonly entities: readonly Entity[]
  readonly onFollow: () => void
}

export const AdminLinks = ({ entities, onFollow }: LinksProps): ReactNode => {
  const { administration } = useTexts()
  const pages = usePages('administration')
  const { entity } = useParams({ strict: false })
  const isAdminPage = useRouterState({
    select: ({ location }) => location.pathname.includes('/-/admin/'),
  })
  // Records of one that the menu hides, such as users, are its too.
  const shown = useSession().entities.get(entity ?? '')
  const isHere = isAdminPage || (shown?.isNative && !shown.menuGroup)
  const element = useRef<HTMLDetailsElement>(null)
  // A long list of entities must not hide where one is.
  useEffect(() => {
    if (isHere) element.current?.scrollIntoView({ block: 'nearest' })
  }, [isHere])
  if (pages.length + entities.length === 0) return null
  return (
    <details ref={element} className="admin-links" open={isHere}>
      <summary>{pages.length > 0 ? administration.title : administration.others}</summary>
      <ul hidden={pages.length === 0}>
        {pages.map(({ to, label }) => (
          <li key={to}>
            <Link to={to} onClick={onFollow} activeProps={{ 'aria-current': 'page' }}>
              {label}
            </Link>
          </li>
        ))}
      </ul>
      <EntityLinks entities={entities} onFollow={onFollow} />
    </details>
  )
}
