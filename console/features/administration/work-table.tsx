/** What tables of the administration have in common: moments, statuses, errors, and trying again. */
import type { ReactNode } from 'react'
import { formatMoment } from '../format/format-value.ts'
import { useReading } from '../session/session.ts'
import './administration.css'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { Retried } from '../../api/admin/queue.ts'
import type { TableColumn } from '../../parts/data-table.tsx'
import type { AdminTexts } from '../../texts/texts.ts'

/** A moment as the user reads it, in the zone of their values. */
export const Moment = ({ at }: { readonly at: string }): ReactNode => (
  <time dateTime={at}>{formatMoment(at, useReading())}</time>
)

type BadgeProps = { readonly status: string; readonly label: string }

/** A status as a word; its colour adds nothing to the word. */
export const StatusBadge = ({ status, label }: BadgeProps): ReactNode => (
  <span className="status-badge" data-status={status}>
    {label}
  </span>
)

/** Why something could not be done. */
export const Failure = ({ error }: { readonly error: Error | null }): ReactNode =>
  error && (
    <span role="alert" className="admin-error">
      {error.message}
    </span>
  )

/** What a delivery and a job have in common. */
export type Work<S extends string> = {
  readonly id: number
  readonly status: S
  readonly last_error: string | null
}

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

/** Tries again what failed, some or all of a status, and keeps what the service said of each. */
export function useRetry<T>(
  send: (choice: T) => Promise<Retried>,
  keyOfList: readonly unknown[],
  onDone: () => void,
) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: send,
    onSuccess: async () => {
      onDone()
      await client.invalidateQueries({ queryKey: keyOfList })
    },
  })
}
