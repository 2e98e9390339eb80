/** Whom an action would tell, as the records are now; for those whom the service explains it to. */
import { useQueries } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { type Explanation, explainQuery, type NotifiedOperation } from '../../api/admin/explain.ts'
import { useRecordPageTexts } from '../../texts/record-page/texts.ts'

type ToldProps = {
  readonly entityKey: string
  readonly entityIds: readonly number[]
  readonly operation: NotifiedOperation
  /** Key of the action, of the operation `proceedToStep`. */
  readonly action?: string
  /** What else is said of them. */
  readonly note?: string | undefined
}

// All of them are on the page that explains why.
const namedPeople = 5

/** The users who would be told, each once, and how many e-mails that makes. */
const toldBy = (explanations: readonly Explanation[]) => {
  const told = explanations
    .flatMap(({ isActive, entries }) => (isActive ? entries : []))
    .flatMap(({ matches, recipients = [] }) => (matches ? recipients : []))
    .filter((one) => one.told)
  const people = new Map(told.map(({ user }) => [user.id, user.full_name ?? String(user.id)]))
  return {
    names: [...people.values()],
    emails: told.filter(({ email }) => email?.told === true).length,
  }
}

export const ActionTold = ({ entityIds, note, ...question }: ToldProps): ReactNode => {
  const texts = useRecordPageTexts()
  const found = useQueries({
    queries: entityIds.map((entityId) => explainQuery({ ...question, entityId })),
  })
  const explanations = found.flatMap(({ data }) => data ?? [])
  if (explanations.length < entityIds.length) return null
  const { names, emails } = toldBy(explanations)
  const shown = names.slice(0, namedPeople).join(', ')
  const rest = names.length - namedPeople
  return (
    <p className="action-told" dir="auto">
      {names.length === 0 ? texts.tellsNobody : texts.tells(shown)}
      {rest > 0 && ` ${texts.andMore(rest)}`}
      {emails > 0 && ` · ${texts.emails(emails)}`}
      {note !== undefined && ` · ${note}`}
    </p>
  )
}
