/** Why: who is notified of an event of a record and who is not, and what a user may do with a record. */
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { type ReactNode, useEffect } from 'react'
import { historyQuery } from '../../api/records/history.ts'
import type { Entity } from '../../api/types.ts'
import { AccessView } from '../../features/administration/access-explained.tsx'
import { lastEventOf, questionOf } from '../../features/administration/explain-events.ts'
import {
  ExplainForm,
  PersonChoice,
  RecordChoice,
} from '../../features/administration/explain-form.tsx'
import { ExplanationView } from '../../features/administration/explanation.tsx'
import type { ExplainSearch } from '../../features/session/explain-search.ts'
import { PageHeading } from '../../features/session/page-title.tsx'
import { useSession } from '../../features/session/session.ts'
import { EmptyNote, ProblemNote, Waiting } from '../../parts/notes.tsx'
import { useAdminTexts } from '../../texts/texts.ts'
import './admin.css'

type PageProps = {
  readonly title: string
  readonly search: ExplainSearch
  /** What is asked. */
  readonly form: ReactNode
  readonly children: ReactNode
}

const Page = ({ title, search, form, children }: PageProps): ReactNode => {
  const { explain: texts } = useAdminTexts()
  const known = useSession().entities.get(search.entity ?? '')
  const { record } = search
  return (
    <div className="admin-page">
      <header className="admin-head">
        <div className="admin-row">
          <PageHeading title={title} />
          {known && record !== undefined && (
            <Link to="/$entity/$id" params={{ entity: known.key, id: `${record}` }}>
              {texts.openRecord}
            </Link>
          )}
        </div>
        {form}
      </header>
      <div className="admin-body">{children}</div>
    </div>
  )
}

export const Explain = (): ReactNode => {
  const { explain: texts } = useAdminTexts()
  const search = useSearch({ from: '/-/admin/explain' })
  const navigate = useNavigate({ from: '/-/admin/explain' })
  const entity = useSession().entities.get(search.entity ?? '')
  const { record } = search
  const change = (next: ExplainSearch) => void navigate({ search: next, replace: true })
  return (
    <Page
      title={texts.title}
      search={search}
      form={<ExplainForm search={search} onChange={change} />}
    >
      {entity && record !== undefined ? (
        <Answer entity={entity} record={record} search={search} onChange={change} />
      ) : (
        <EmptyNote title={texts.begin} />
      )}
    </Page>
  )
}

type AnswerProps = {
  readonly entity: Entity
  readonly record: number
  readonly search: ExplainSearch
  readonly onChange: (search: ExplainSearch) => void
}

const Answer = (props: AnswerProps): ReactNode => {
  const { entity, record, search } = props
  const question = questionOf(entity, record, search)
  if (!question) return <LastEvent {...props} />
  return (
    <div className="admin-sections">
      <ExplanationView entity={entity} question={question} />
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

const isRead = ({ permissions }: Entity): boolean => permissions.read !== false

export const Access = (): ReactNode => {
  const { access: texts } = useAdminTexts()
  const search = useSearch({ from: '/-/admin/access' })
  const navigate = useNavigate({ from: '/-/admin/access' })
  const { record, user } = search
  const { user: _user, ...withoutUser } = search
  const entity = useSession().entities.get(search.entity ?? '')
  const change = (next: ExplainSearch) => void navigate({ search: next, replace: true })
  return (
    <Page
      title={texts.title}
      search={search}
      form={
        <div className="admin-fields">
          <RecordChoice search={search} accepts={isRead} onChange={change} />
          <PersonChoice
            label={texts.user}
            userId={user}
            onChange={(id) => change(id === undefined ? withoutUser : { ...search, user: id })}
          />
        </div>
      }
    >
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
    </Page>
  )
}
