/** What the service does besides answering requests: deliveries and jobs, of which the failed ones are tried again. */
import { useNavigate, useSearch } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { QueueFilter, QueueName } from '../../api/admin/queue.ts'
import { parseQueueSearch } from '../../features/administration/admin-search.ts'
import { queueKinds } from '../../features/administration/queue-kinds.tsx'
import { PageHeading } from '../../features/session/page-title.tsx'
import { useSession } from '../../features/session/session.ts'
import { Tabs } from '../../parts/tabs.tsx'
import { useAdminTexts, useTexts } from '../../texts/texts.ts'
import './admin.css'

const names = Object.keys(queueKinds) as readonly QueueName[]
const from = '/-/admin/deliveries'

export const Queue = (): ReactNode => {
  const texts = useAdminTexts()
  const { queue: title } = useTexts().administration
  const { administration } = useSession().me
  const navigate = useNavigate({ from })
  // The router leaves in the address what is of no use.
  const { kind: wanted = 'deliveries', ...filter } = parseQueueSearch(useSearch({ from }))
  const offered = names.filter((name) => administration.includes(name))
  const kind = offered.find((name) => name === wanted) ?? offered[0] ?? wanted
  const show = (name: QueueName, wish: QueueFilter) =>
    void navigate({ search: name === 'jobs' ? { kind: name, ...wish } : wish, replace: true })
  const { choices, rows } = queueKinds[kind]
  const narrowed = {
    filter: kind === wanted ? filter : {},
    onChange: (wish: QueueFilter) => show(kind, wish),
  }
  return (
    <div className="admin-page">
      <header className="admin-head">
        <div className="admin-row">
          <PageHeading title={title} />
          {offered.length > 1 && (
            <Tabs
              label={title}
              value={kind}
              tabs={offered.map((value) => ({ value, label: texts[value].title }))}
              onChange={(name) => show(name, {})}
            />
          )}
        </div>
        {choices(narrowed)}
      </header>
      {rows(narrowed)}
    </div>
  )
}
