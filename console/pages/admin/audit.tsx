/** The audit: who did what, and when, the newest first, narrowed down by the address of the page. */
import { useInfiniteQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { type AuditEntry, type AuditQuery, auditQuery } from '../../api/admin/audit.ts'
import { useRecordNames } from '../../api/record-names.ts'
import { auditColumns } from '../../features/administration/audit-entries.tsx'
import {
  AuditExport,
  AuditFilters,
  askedOf,
  parseAuditSearch,
} from '../../features/administration/audit-filters.tsx'
import { MoreRows } from '../../features/administration/queue-list.tsx'
import { PageHeading } from '../../features/session/page-title.tsx'
import { useReading, useSession } from '../../features/session/session.ts'
import { Button } from '../../parts/button.tsx'
import { DataTable } from '../../parts/data-table.tsx'
import { EmptyNote, ProblemNote, Waiting } from '../../parts/notes.tsx'
import { useAdminTexts, useTexts } from '../../texts/texts.ts'
import './admin.css'

const from = '/-/admin/audit'

export const Audit = (): ReactNode => {
  const { audit: texts } = useAdminTexts()
  const { audit: title } = useTexts().administration
  const { timeZone } = useReading()
  const navigate = useNavigate({ from })
  const search = parseAuditSearch(useSearch({ from }), Object.keys(texts.kinds))
  const show = (wish: typeof search) => void navigate({ search: { ...wish }, replace: true })
  const filter = askedOf(search, timeZone)
  return (
    <div className="admin-page">
      <header className="admin-head">
        <div className="admin-row">
          <PageHeading title={title} />
          <AuditExport filter={filter} />
        </div>
        <AuditFilters search={search} onChange={show} />
      </header>
      <Entries filter={filter} onAll={() => show({})} />
    </div>
  )
}

const none: readonly AuditEntry[] = []

/** The names of the users whose records entries are about, by id. */
const useUserNames = (rows: readonly AuditEntry[]): ReadonlyMap<number, string> => {
  const { entities } = useSession()
  const ids = rows.flatMap(({ entity, entity_id: id }) =>
    entity === 'user' && id !== null ? [id] : [],
  )
  const names = useRecordNames(
    ids.map((id) => ({ entity: 'user', id })),
    entities,
  )
  return new Map(ids.map((id) => [id, names?.get(`user/${id}`) ?? '']))
}

type EntriesProps = { readonly filter: AuditQuery; readonly onAll: () => void }

const Entries = ({ filter, onAll }: EntriesProps): ReactNode => {
  const texts = useAdminTexts()
  const { administration } = useTexts()
  const list = useInfiniteQuery(auditQuery(filter))
  const rows = list.data?.pages.flatMap(({ data }) => [...data]) ?? none
  const names = useUserNames(rows)
  if (list.error && !list.data) return <ProblemNote error={list.error} />
  if (!list.data) return <Waiting />
  const isFiltered = Object.keys(filter).length > 0
  if (rows.length === 0)
    return (
      <EmptyNote title={isFiltered ? texts.audit.emptyFiltered : texts.audit.empty}>
        {isFiltered && <Button onClick={onAll}>{texts.showAll}</Button>}
      </EmptyNote>
    )
  return (
    <div className="admin-body">
      <DataTable
        label={administration.audit}
        columns={auditColumns(texts, names)}
        rows={rows}
        keyOf={({ id }) => id}
      />
      <MoreRows list={list} />
    </div>
  )
}
