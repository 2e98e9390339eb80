/** What the tables of deliveries and jobs have in common: columns, selection, further rows, and trying again. */
import { type ReactNode, useState } from 'react'
import { formatMoment } from '../format/format-value.ts'
import { useReading } from '../session/session.ts'
import './administration.css'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { Retried } from '../../api/admin/deliveries.ts'
import { Button } from '../../parts/button.tsx'
import type { TableColumn } from '../../parts/data-table.tsx'
import { type AdminTexts, useAdminTexts, useTexts } from '../../texts/texts.ts'

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

type MoreProps = {
  readonly list: {
    readonly hasNextPage: boolean
    readonly isFetchingNextPage: boolean
    readonly fetchNextPage: () => unknown
  }
}

/** Reads further rows of a long list. */
export const MoreRows = ({ list }: MoreProps): ReactNode => {
  const { common } = useTexts()
  if (!list.hasNextPage) return null
  return (
    <div className="more-rows">
      <Button disabled={list.isFetchingNextPage} onClick={() => list.fetchNextPage()}>
        {common.more}
      </Button>
    </div>
  )
}

/** Which rows of a table are selected. */
export const useSelection = () => {
  const [selected, setSelected] = useState<ReadonlySet<number>>(new Set())
  return {
    selected,
    onSelect: (id: number, isSelected: boolean) =>
      setSelected((before) => {
        const others = [...before].filter((one) => one !== id)
        return new Set(isSelected ? [...others, id] : others)
      }),
    clear: () => setSelected(new Set()),
  }
}

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

type BarProps = {
  readonly selected: number
  /** How many there are of the status that the list shows; undefined where not all can be tried again. */
  readonly all: number | undefined
  readonly retry: {
    readonly isPending: boolean
    readonly data: Retried | undefined
    readonly error: Error | null
  }
  readonly onSelected: () => void
  readonly onAll: () => void
  readonly onClear: () => void
  /** Further actions on what is selected. */
  readonly children?: ReactNode
}

/** What is selected and can be tried again, and what became of it. */
export const RetryBar = (props: BarProps): ReactNode => {
  const { selected, all = 0, children } = props
  const { isPending, data: result, error } = props.retry
  const texts = useAdminTexts()
  return (
    <div className="retry-bar">
      <div role="status">
        {selected > 0 ? texts.selected(selected) : result && <Result result={result} />}
      </div>
      {error && <p role="alert">{error.message}</p>}
      {selected > 0 && (
        <>
          <Button look="quiet" onClick={props.onClear}>
            {texts.clearSelection}
          </Button>
          {children}
          <Button look="primary" disabled={isPending} onClick={props.onSelected}>
            {texts.again}
          </Button>
        </>
      )}
      {selected === 0 && all > 0 && (
        <Button disabled={isPending} onClick={props.onAll}>
          {texts.againAll(all)}
        </Button>
      )}
    </div>
  )
}

const Result = ({ result: { data, hasMore } }: { readonly result: Retried }): ReactNode => {
  const texts = useAdminTexts()
  const queued = data.filter(({ result }) => result === 'queued').length
  const others = data.length - queued
  return (
    <>
      {texts.queued(queued)} {others > 0 && texts.notQueued(others)} {hasMore && texts.moreMatch}
    </>
  )
}
