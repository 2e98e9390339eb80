/** The link to the explanation of who is notified: no part of the first list. */
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { ExplainSearch } from './explain-search.ts'
import { useSession } from './session.ts'

type LinkProps = { readonly search: ExplainSearch; readonly children: ReactNode }

export const ExplainLink = ({ search, children }: LinkProps): ReactNode => {
  const { me, entities } = useSession()
  const rules = entities.get(search.entity ?? '')?.notifications ?? []
  if (!me.administration.includes('explain') || rules.length === 0) return null
  return (
    <Link to="/-/admin/explain" search={search} className="explain-link">
      {children}
    </Link>
  )
}
