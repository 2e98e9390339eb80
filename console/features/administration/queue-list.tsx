/** Deliveries or jobs by status: they are selected, tried again one by one or all of a status, and read page by page. */
import {
  type UseInfiniteQueryResult,
  type UseMutationResult,
  useInfiniteQuery,
} from '@tanstack/react-query'
import { type ComponentType, type ReactNode, useState } from 'react'
import {
  countedSent,
  type QueueFilter,
  type QueueName,
  type QueueRequests,
  type QueueStatus,
  type Retried,
} from '../../api/admin/queue.ts'
import { Button } from '../../parts/button.tsx'
import { DataTable, type TableColumn } from '../../parts/data-table.tsx'
import { EmptyNote, ProblemNote, Waiting } from '../../parts/notes.tsx'
import { Tabs } from '../../parts/tabs.tsx'
import { type AdminTexts, useAdminTexts, useTexts } from '../../texts/texts.ts'
import { useReading } from '../session/session.ts'
import { useRetry, type Work } from './work-table.tsx'
import './administration.css'

type CountOf<S extends QueueStatus> = (status: S) => number | undefined

/** What one kind of rows has of its own. */
export type QueueKind<R extends Work<S>, S extends QueueStatus> = {
  readonly name: QueueName
  readonly requests: QueueRequests<R, S>
  readonly statuses: readonly S[]
  readonly useCounts: (filter: QueueFilter) => CountOf<S>
  readonly columnsOf: (texts: AdminTexts) => readonly TableColumn<R>[]
  /** What a row is called where it is selected. */
  readonly nameOf: (row: R, texts: AdminTexts) => string
  readonly mayBeSelected: (status: S) => boolean
  /** Whether all of a status may be tried again together. */
  readonly mayRetryAll: (status: S) => boolean
  readonly Filters?: ComponentType<FilterProps>
  /** Removes what is selected. */
  readonly Remove?: ComponentType<RemoveProps>
}

/** What the rows are narrowed down to. */
export type FilterProps = {
  readonly filter: QueueFilter
  readonly onChange: (filter: QueueFilter) => void
}

export type RemoveProps = { readonly ids: readonly number[]; readonly onDone: () => void }

type KindProps<R extends Work<S>, S extends QueueStatus> = FilterProps & {
  readonly kind: QueueKind<R, S>
}

/** Renders the parts of the list of a kind: its filters with the tabs of its statuses, and its rows. */
export const queueParts = <R extends Work<S>, S extends QueueStatus>(kind: QueueKind<R, S>) => ({
  choices: (props: FilterProps) => <Choices key={kind.name} kind={kind} {...props} />,
  rows: (props: FilterProps) => (
    <Rows key={kind.name + JSON.stringify(props.filter)} kind={kind} {...props} />
  ),
})

const Choices = <R extends Work<S>, S extends QueueStatus>({
  kind,
  filter,
  onChange,
}: KindProps<R, S>): ReactNode => {
  const texts = useAdminTexts()
  const countOf = kind.useCounts(filter)
  const countText = useCountText()
  const names: Readonly<Record<string, string>> = texts[kind.name].statuses
  return (
    <>
      {kind.Filters && <kind.Filters filter={filter} onChange={onChange} />}
      <div className="admin-tabs">
        <Tabs<S | 'all'>
          label={texts.status}
          value={statusOf(kind, filter) ?? 'all'}
          tabs={[
            { value: 'all', label: texts.all },
            ...kind.statuses.map((value) => ({
              value,
              label: `${names[value]} ${countText(value, countOf(value))}`.trim(),
            })),
          ]}
          onChange={(value) => onChange({ ...filter, status: value === 'all' ? undefined : value })}
        />
      </div>
    </>
  )
}

const statusOf = <R extends Work<S>, S extends QueueStatus>(
  { statuses }: QueueKind<R, S>,
  { status }: QueueFilter,
): S | undefined => statuses.find((one) => one === status)

const useCountText = () => {
  const texts = useAdminTexts()
  const { format } = new Intl.NumberFormat(useReading().locale)
  return (status: QueueStatus, count: number | undefined): string => {
    if (count === undefined) return ''
    return status === 'sent' && count > countedSent
      ? texts.moreThan(format(countedSent))
      : format(count)
  }
}

const Rows = <R extends Work<S>, S extends QueueStatus>({
  kind,
  filter,
  onChange,
}: KindProps<R, S>): ReactNode => {
  const texts = useAdminTexts()
  const status = statusOf(kind, filter)
  const countOf = kind.useCounts(filter)
  const list = useInfiniteQuery(kind.requests.list({ ...filter, status }))
  const { selected, onSelect, clear } = useSelection()
  const retry = useRetry(kind.requests.retry, kind.requests.key, clear)
  if (list.error && !list.data) return <ProblemNote error={list.error} />
  if (!list.data) return <Waiting />
  const rows = list.data.pages.flatMap((page) => [...page])
  const { channel, entity, user, q } = filter
  // The service tries all of a status again, of one channel or of all.
  const isNarrow = [entity, user, q].some((one) => one !== undefined)
  const retried = status && !isNarrow && kind.mayRetryAll(status) ? status : undefined
  return (
    <>
      {rows.length === 0 && <Nothing name={kind.name} filter={filter} onChange={onChange} />}
      {rows.length > 0 && (
        <div className="admin-body">
          <DataTable
            label={texts[kind.name].title}
            columns={kind.columnsOf(texts)}
            rows={rows}
            keyOf={({ id }) => id}
            selection={{
              selected,
              onSelect,
              idOf: ({ id }) => id,
              mayBeSelected: (row) => kind.mayBeSelected(row.status),
              labelOf: (row) => texts.select(kind.nameOf(row, texts)),
            }}
          />
          <MoreRows list={list} />
        </div>
      )}
      <RetryBar
        selected={selected.size}
        all={retried && countOf(retried)}
        retry={retry}
        onSelected={() => retry.mutate({ ids: [...selected] })}
        onAll={() => retried && retry.mutate({ status: retried, ...(channel && { channel }) })}
        onClear={clear}
      >
        {kind.Remove && <kind.Remove ids={[...selected]} onDone={clear} />}
      </RetryBar>
    </>
  )
}

type NothingProps = FilterProps & { readonly name: QueueName }

const Nothing = ({ name, filter, onChange }: NothingProps): ReactNode => {
  const { [name]: texts, showAll } = useAdminTexts()
  const isFiltered = Object.values(filter).some((value) => value !== undefined)
  return (
    <EmptyNote title={isFiltered ? texts.emptyFiltered : texts.empty}>
      {isFiltered && <Button onClick={() => onChange({})}>{showAll}</Button>}
    </EmptyNote>
  )
}

/** Reads further rows of a long list. */
export const MoreRows = ({ list }: { readonly list: UseInfiniteQueryResult }): ReactNode => {
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
const useSelection = () => {
  const [selected, setSelected] = useState<ReadonlySet<number>>(new Set())
  return {
    selected,
    onSelect: (id: number, isSelected: boolean) =>
      setSelected(
        (before) => new Set(isSelected ? [...before, id] : [...before].filter((one) => one !== id)),
      ),
    clear: () => setSelected(new Set()),
  }
}

type BarProps = {
  readonly selected: number
  /** How many there are of the status that the list shows; undefined where not all can be tried again. */
  readonly all: number | undefined
  readonly retry: Pick<UseMutationResult<Retried>, 'isPending' | 'data' | 'error'>
  readonly onSelected: () => void
  readonly onAll: () => void
  readonly onClear: () => void
  /** Further actions on what is selected. */
  readonly children?: ReactNode
}

/** What is selected and can be tried again, and what became of it. */
const RetryBar = (props: BarProps): ReactNode => {
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
