/** What a user may do with a record, and what decides it. */
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Entity } from '../../api/types.ts'
import { AccessView } from '../../features/administration/access-explained.tsx'
import { PersonChoice, RecordChoice } from '../../features/administration/explain-form.tsx'
import type { ExplainSearch } from '../../features/session/explain-link.tsx'
import { PageHeading } from '../../features/session/page-title.tsx'
import { useSession } from '../../features/session/session.ts'
import { EmptyNote } from '../../parts/notes.tsx'
import { useAdminTexts } from '../../texts/texts.ts'
import './admin.css'

const isRead = ({ permissions }: Entity): boolean => permissions.read !== false

export const Access = (): ReactNode => {
  const { access: texts, explain } = useAdminTexts()
  const search = useSearch({ from: '/-/admin/access' })
  const navigate = useNavigate({ from: '/-/admin/access' })
  const { entities } = useSession()
  const { record, user } = search
  const { user: _user, ...withoutUser } = search
  const entity = entities.get(search.entity ?? '')
  const change = (next: ExplainSearch) => void navigate({ search: next, replace: true })
  return (
    <div className="admin-page">
      <header className="admin-head">
        <div className="admin-row">
          <PageHeading title={texts.title} />
          {entity && record !== undefined && (
            <Link to="/$entity/$id" params={{ entity: entity.key, id: `${record}` }}>
              {explain.openRecord}
            </Link>
          )}
        </div>
        <div className="admin-fields">
          <RecordChoice search={search} accepts={isRead} onChange={change} />
          <PersonChoice
            label={texts.user}
            userId={user}
            onChange={(id) => change(id === undefined ? withoutUser : { ...search, user: id })}
          />
        </div>
      </header>
      <div className="admin-body">
        {entity && record !== undefined && user !== undefined ? (
          <div className="admin-sections">
            <AccessView
              entity={entity}
              question={{ entityKey: entity.key, entityId: record, userId: user }}
            />
          </div>
        ) : (
          <EmptyNote title={texts.begin} />
        )}
      </div>
    </div>
  )
}
