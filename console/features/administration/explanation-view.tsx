/** The answer of the service: first to whom was asked for, then entry by entry. */
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import {
  type ExplainedEntry,
  type ExplainQuestion,
  type Explanation,
  explainQuery,
} from '../../api/admin/explain.ts'
import type { Entity } from '../../api/types.ts'
import { ProblemNote, Waiting } from '../../parts/notes.tsx'
import { useAdminTexts } from '../../texts/texts.ts'
import { ExplainedRule } from './explained-entry.tsx'
import { SentAbout } from './sent-about.tsx'
import { useUserName } from './use-user-name.ts'

// The reason of an entry that is about another operation or action.
const aboutOther = 'another operation or action'

type ViewProps = { readonly entity: Entity; readonly question: ExplainQuestion }

export const ExplanationView = ({ entity, question }: ViewProps): ReactNode => {
  const { explain: texts } = useAdminTexts()
  const explained = useQuery(explainQuery(question))
  // Whom the entries tell if not the person who is asked for.
  const { userId: _asked, ...ofAll } = question
  const all = useQuery({ ...explainQuery(ofAll), enabled: question.userId !== undefined })
  if (explained.error) return <ProblemNote error={explained.error} />
  if (!explained.data) return <Waiting />
  const { isActive, entries } = explained.data
  const { entityId: record, userId } = question
  const rules = entity.notifications ?? []
  const isOther = ({ reason }: ExplainedEntry) => reason === aboutOther
  const print = (entry: ExplainedEntry) => {
    const rule = rules[entry.index]
    const isAsked = userId !== undefined
    const others = isAsked
      ? all.data?.entries.find(({ index }) => index === entry.index)
      : undefined
    return (
      rule && (
        <ExplainedRule
          key={entry.index}
          entry={entry}
          rule={rule}
          entity={entity}
          isAsked={isAsked}
          others={others}
        />
      )
    )
  }
  return (
    <>
      {!isActive && <p className="admin-alert">{texts.inactive}</p>}
      {userId !== undefined && <Verdict explanation={explained.data} userId={userId} />}
      {userId === undefined && <Summary explanation={explained.data} />}
      {entries.filter(({ matches }) => matches).map(print)}
      {entries.filter((entry) => !entry.matches && !isOther(entry)).map(print)}
      {entries.some(isOther) && (
        <details className="explained-others">
          <summary>{texts.others}</summary>
          <div className="admin-stack">{entries.filter(isOther).map(print)}</div>
        </details>
      )}
      <SentAbout entity={entity.key} record={record} user={userId} />
    </>
  )
}

const Summary = ({ explanation }: { readonly explanation: Explanation }): ReactNode => {
  const { explain: texts } = useAdminTexts()
  const isAnybodyTold = explanation.entries.some(({ recipients = [] }) =>
    recipients.some(({ told }) => told),
  )
  if (isAnybodyTold) return null
  return (
    <p className="explain-answer" role="status">
      {texts.nobodyTold}
    </p>
  )
}

type VerdictProps = { readonly explanation: Explanation; readonly userId: number }

/** Whether the person who was asked for would be told, in one sentence. */
const Verdict = ({ explanation, userId }: VerdictProps): ReactNode => {
  const { explain: texts } = useAdminTexts()
  const name = useUserName(userId)
  const found = explanation.entries.flatMap(({ recipients = [] }) => recipients)
  const isTold = explanation.isActive && found.some(({ told }) => told)
  const reasons = new Set(found.map(({ reason }) => texts.reasons[reason ?? ''] ?? reason))
  return (
    <p className="explain-answer" role="status">
      <strong dir="auto">{isTold ? texts.isTold(name) : texts.isNotTold(name)}</strong>{' '}
      {!isTold && (found.length > 0 ? [...reasons].join(', ') : texts.notNamedAtAll)}
    </p>
  )
}
