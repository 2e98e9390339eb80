/** The columns that deliveries and jobs have in common. */
import type { TableColumn } from '../../parts/data-table.tsx'
import type { AdminTexts } from '../../texts/texts.ts'
import { StatusBadge } from './status-badge.tsx'

type Work<S extends string> = { readonly status: S; readonly last_error: string | null }

export const statusColumn = <S extends string>(
  { status }: AdminTexts,
  names: Readonly<Record<S, string>>,
): TableColumn<Work<S>> => ({
  key: 'status',
  label: status,
  render: (one) => <StatusBadge status={one.status} label={names[one.status]} />,
})

export const errorColumn = ({ error }: AdminTexts): TableColumn<Work<string>> => ({
  key: 'error',
  label: error,
  isWide: true,
  render: ({ last_error: text }) =>
    text === null ? null : (
      <span className="admin-error" dir="auto">
        {text}
      </span>
    ),
})
