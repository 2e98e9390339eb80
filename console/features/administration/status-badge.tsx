/** How something stands, in a word; its colour says nothing that the word does not. */
import type { ReactNode } from 'react'
import './administration.css'

type BadgeProps = { readonly status: string; readonly label: string }

export const StatusBadge = ({ status, label }: BadgeProps): ReactNode => (
  <span className="status-badge" data-status={status}>
    {label}
  </span>
)
