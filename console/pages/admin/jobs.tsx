/** Jobs of the service: what waits, what runs and what failed, to be run again or forgotten. */
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import {
  type JobStatus,
  jobCountsQuery,
  jobsKey,
  jobsQuery,
  retryJobs,
} from '../../api/admin/jobs.ts'
import { jobStatuses, mayRunAll } from '../../features/administration/admin-search.ts'
import { JobTable, RemoveJobsDialog } from '../../features/administration/jobs.tsx'
import {
  MoreRows,
  RetryBar,
  useRetry,
  useSelection,
} from '../../features/administration/work-table.tsx'
import { PageHeading } from '../../features/session/page-title.tsx'
import { Button } from '../../parts/button.tsx'
import { EmptyNote, ProblemNote, Waiting } from '../../parts/notes.tsx'
import { Tabs } from '../../parts/tabs.tsx'
import { useAdminTexts } from '../../texts/texts.ts'
import './admin.css'

export const Jobs = (): ReactNode => {
  const { jobs: texts, ...common } = useAdminTexts()
  const { status } = useSearch({ from: '/-/admin/jobs' })
  const navigate = useNavigate({ from: '/-/admin/jobs' })
  const counts = useQuery(jobCountsQuery)
  return (
    <div className="admin-page">
      <header className="admin-head">
        <PageHeading title={texts.title} />
        <div className="admin-tabs">
          <Tabs
            label={common.status}
            value={status ?? 'all'}
            tabs={[
              { value: 'all', label: common.all },
              ...jobStatuses.map((value) => ({
                value,
                label: `${texts.statuses[value]} ${counts.data?.[value] ?? ''}`.trim(),
              })),
            ]}
            onChange={(value) =>
              void navigate({ search: value === 'all' ? {} : { status: value }, replace: true })
            }
          />
        </div>
      </header>
      <List
        key={status ?? 'all'}
        status={status}
        count={status === undefined ? undefined : counts.data?.[status]}
      />
    </div>
  )
}

type ListProps = { readonly status: JobStatus | undefined; readonly count: number | undefined }

const List = ({ status, count }: ListProps): ReactNode => {
  const { jobs: texts, select } = useAdminTexts()
  const list = useInfiniteQuery(jobsQuery(status))
  const { selected, onSelect, clear } = useSelection()
  const retry = useRetry(retryJobs, jobsKey, clear)
  const [isRemoving, setIsRemoving] = useState(false)
  if (list.error && !list.data) return <ProblemNote error={list.error} />
  if (!list.data) return <Waiting />
  const rows = list.data.pages.flat()
  return (
    <>
      {rows.length === 0 && <EmptyNote title={status ? texts.emptyFiltered : texts.empty} />}
      {rows.length > 0 && (
        <div className="admin-body">
          <JobTable
            jobs={rows}
            selection={{
              selected,
              onSelect,
              idOf: ({ id }) => id,
              mayBeSelected: ({ status: one }) => one !== 'running',
              labelOf: ({ task, id }) => select(`${task} ${id}`),
            }}
          />
          <MoreRows list={list} />
        </div>
      )}
      <RetryBar
        selected={selected.size}
        all={mayRunAll(status) ? count : undefined}
        retry={retry}
        onSelected={() => retry.mutate({ ids: [...selected] })}
        onAll={() => mayRunAll(status) && retry.mutate({ status })}
        onClear={clear}
      >
        <Button look="danger" onClick={() => setIsRemoving(true)}>
          {texts.removeMany}
        </Button>
      </RetryBar>
      {isRemoving && (
        <RemoveJobsDialog
          ids={[...selected]}
          onDone={() => {
            clear()
            setIsRemoving(false)
          }}
          onClose={() => setIsRemoving(false)}
        />
      )}
    </>
  )
}
