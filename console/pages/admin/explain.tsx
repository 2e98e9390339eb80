/** Who is notified of an event of a record, who is not, and why. */
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { type ReactNode, useEffect } from 'react'
import { historyQuery } from '../../api/records/history.ts'
import type { Entity } from '../../api/types.ts'
import { lastEventOf, questionOf } from '../../features/administration/explain-events.ts'
import { ExplainForm } from '../../features/administration/explain-form.tsx'
import { ExplanationView } from '../../features/administration/explanation.tsx'
import type { ExplainSearch } from '../../features/session/explain-link.tsx'
import { PageHeading } from '../../features/session/page-title.tsx'
import { useSession } from '../../features/session/session.ts'
import { EmptyNote, ProblemNote, Waiting } from '../../parts/notes.tsx'
import { useAdminTexts } from '../../texts/texts.ts'
import './admin.css'

export const Explain = (): ReactNode => {
  const { explain: texts } = useAdminTexts()
  const search = useSearch({ from: '/-/admin/explain' })
  const navigate = useNavigate({ from: '/-/admin/explain' })
  const { entities } = useSession()
  const entity = entities.get(search.entity ?? '')
  const { record } = search
  const change = (next: ExplainSearch) => void navigate({ search: next, replace: true })
  return (
    <div className="admin-page">
      <header className="admin-head">
        <div className="admin-row">
          <PageHeading title={texts.title} />
          {entity && record !== undefined && (
            <Link to="/$entity/$id" params={{ entity: entity.key, id: `${record}` }}>
              {texts.openRecord}
            </Link>
          )}
        </div>
        <ExplainForm search={search} onChange={change} />
      </header>
      <div className="admin-body">
        {entity && record !== undefined ? (
          <Answer entity={entity} record={record} search={search} onChange={change} />
        ) : (
          <EmptyNote title={texts.begin} />
        )}
      </div>
    </div>
  )
}

type AnswerProps = {
  readonly entity: Entity
  readonly record: number
  readonly search: ExplainSearch
  readonly onChange: (search: ExplainSearch) => void
}

const Answer = (props: AnswerProps): ReactNode => {
  const question = questionOf(props.search)
  if (!question) return <LastEvent {...props} />
  return (
    <div className="admin-sections">
      <ExplanationView entity={props.entity} question={question} />
    </div>
  )
}

/** Without anything else said, what happened last to the record is explained. */
const LastEvent = ({ entity, record, search, onChange }: AnswerProps): ReactNode => {
  const { explain: texts } = useAdminTexts()
  const history = useQuery(historyQuery(entity.key, record))
  const last =
    history.data && (lastEventOf(history.data, entity) ?? { operation: 'create' as const })
  useEffect(() => {
    if (last) onChange({ ...search, ...last })
  })
  if (history.error) return <ProblemNote error={history.error} />
  return last ? <EmptyNote title={texts.chooseEvent} /> : <Waiting />
}
