/** E-mails and webhooks that were sent, or are to be: by status, with the failed ones to be sent again. */
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import {
  type ChannelName,
  countedSent,
  type DeliveryFilter,
  type DeliveryStatus,
  deliveriesKey,
  deliveriesQuery,
  deliveryCountsQuery,
  retryDeliveries,
} from '../../api/admin/deliveries.ts'
import {
  deliveryChannels,
  deliveryStatuses,
  mayRetry,
} from '../../features/administration/admin-search.ts'
import { DeliveryFilters, DeliveryTable } from '../../features/administration/deliveries.tsx'
import {
  MoreRows,
  RetryBar,
  useRetry,
  useSelection,
} from '../../features/administration/work-table.tsx'
import { PageHeading } from '../../features/session/page-title.tsx'
import { useReading } from '../../features/session/session.ts'
import { Button } from '../../parts/button.tsx'
import { EmptyNote, ProblemNote, Waiting } from '../../parts/notes.tsx'
import { Tabs } from '../../parts/tabs.tsx'
import { useAdminTexts } from '../../texts/texts.ts'
import './admin.css'

/** The numbers of the service for the channels that are shown. */
const useCounts = (filter: DeliveryFilter) => {
  const { data } = useQuery(deliveryCountsQuery(filter))
  const channels: readonly ChannelName[] = filter.channel ? [filter.channel] : deliveryChannels
  return (status: DeliveryStatus): number | undefined =>
    data && channels.reduce((sum, channel) => sum + data[channel][status], 0)
}

export const Deliveries = (): ReactNode => {
  const texts = useAdminTexts()
  const filter = useSearch({ from: '/-/admin/deliveries' })
  const navigate = useNavigate({ from: '/-/admin/deliveries' })
  const countOf = useCounts(filter)
  const setFilter = (search: DeliveryFilter) => void navigate({ search, replace: true })
  const { format } = new Intl.NumberFormat(useReading().locale)
  const labelOf = (status: DeliveryStatus) => {
    const count = countOf(status)
    const name = texts.deliveries.statuses[status]
    if (count === undefined) return name
    if (status === 'sent' && count > countedSent)
      return `${name} ${texts.deliveries.moreThan(format(countedSent))}`
    return `${name} ${format(count)}`
  }
  return (
    <div className="admin-page">
      <header className="admin-head">
        <PageHeading title={texts.deliveries.title} />
        <DeliveryFilters filter={filter} onChange={setFilter} />
        <div className="admin-tabs">
          <Tabs
            label={texts.status}
            value={filter.status ?? 'all'}
            tabs={[
              { value: 'all', label: texts.all },
              ...deliveryStatuses.map((value) => ({ value, label: labelOf(value) })),
            ]}
            onChange={(value) =>
              setFilter({ ...filter, status: value === 'all' ? undefined : value })
            }
          />
        </div>
      </header>
      <List
        key={JSON.stringify(filter)}
        filter={filter}
        countOf={countOf}
        onClear={() => setFilter({})}
      />
    </div>
  )
}

type ListProps = {
  readonly filter: DeliveryFilter
  readonly countOf: ReturnType<typeof useCounts>
  readonly onClear: () => void
}

const List = ({ filter, countOf, onClear }: ListProps): ReactNode => {
  const texts = useAdminTexts()
  const list = useInfiniteQuery(deliveriesQuery(filter))
  const { selected, onSelect, clear } = useSelection()
  const retry = useRetry(retryDeliveries, deliveriesKey, clear)
  if (list.error && !list.data) return <ProblemNote error={list.error} />
  if (!list.data) return <Waiting />
  const rows = list.data.pages.flat()
  const { status, channel, entity, user, q } = filter
  const isNarrow = [entity, user, q].some((one) => one !== undefined)
  const isEmpty = rows.length === 0
  const retried = status !== undefined && mayRetry(status) ? status : undefined
  return (
    <>
      {isEmpty && <Nothing filter={filter} onClear={onClear} />}
      {!isEmpty && (
        <div className="admin-body">
          <DeliveryTable
            deliveries={rows}
            selection={{
              selected,
              onSelect,
              idOf: ({ id }) => id,
              mayBeSelected: ({ status: one }) => mayRetry(one),
              labelOf: ({ subject, address }) =>
                texts.select(`${subject || texts.deliveries.noSubject}, ${address ?? ''}`),
            }}
          />
          <MoreRows list={list} />
        </div>
      )}
      <RetryBar
        selected={selected.size}
        all={retried && !isNarrow ? countOf(retried) : undefined}
        retry={retry}
        onSelected={() => retry.mutate({ ids: [...selected] })}
        onAll={() => retried && retry.mutate({ status: retried, ...(channel && { channel }) })}
        onClear={clear}
      />
    </>
  )
}

type NothingProps = { readonly filter: DeliveryFilter; readonly onClear: () => void }

const Nothing = ({ filter, onClear }: NothingProps): ReactNode => {
  const { deliveries: texts } = useAdminTexts()
  const isFiltered = Object.values(filter).some((value) => value !== undefined)
  return (
    <EmptyNote title={isFiltered ? texts.emptyFiltered : texts.empty}>
      {isFiltered && <Button onClick={onClear}>{texts.clear}</Button>}
    </EmptyNote>
  )
}
