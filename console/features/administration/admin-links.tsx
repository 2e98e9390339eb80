/** The administration in the navigation, open while one of its pages is shown. */
import { Link, useRouterState } from '@tanstack/react-router'
import { type ReactNode, useEffect, useRef } from 'react'
import { useTexts } from '../../texts/texts.ts'
import { useAdminPages } from './administration.ts'
import './admin-links.css'

export const AdminLinks = ({ onFollow }: { readonly onFollow: () => void }): ReactNode => {
  const { administration } = useTexts()
  const pages = useAdminPages()
  const isHere = useRouterState({
    select: ({ location }) => location.pathname.includes('/-/admin/'),
  })
  const element = useRef<HTMLDetailsElement>(null)
  // A long list of entities must not hide where one is.
  useEffect(() => {
    if (isHere) element.current?.scrollIntoView({ block: 'nearest' })
  }, [isHere])
  if (pages.length === 0) return null
  return (
    <details ref={element} className="admin-links" open={isHere}>
      <summary>{administration.title}</summary>
      <ul>
        {pages.map(({ to, label }) => (
          <li key={to}>
            <Link to={to} onClick={onFollow} activeProps={{ 'aria-current': 'page' }}>
              {label}
            </Link>
          </li>
        ))}
      </ul>
    </details>
  )
}
