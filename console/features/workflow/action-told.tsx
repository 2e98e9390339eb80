/** Whom an action would tell, as the record is now; for those whom the service explains it to. */
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { type Explanation, explainQuery } from '../../api/admin/explain.ts'
import { useTexts } from '../../texts/texts.ts'

type ToldProps = {
  readonly entityKey: string
  readonly entityId: number
  readonly action: string
}

// All of them are on the page that explains why.
const namedPeople = 5

/** The users who would be told, each once, and how many e-mails that makes. */
const toldBy = ({ isActive, entries }: Explanation) => {
  const told = entries
    .filter(({ matches }) => isActive && matches)
    .flatMap(({ recipients = [] }) => recipients.filter((one) => one.told))
  const people = new Map(told.map(({ user }) => [user.id, user.full_name ?? String(user.id)]))
  return {
    names: [...people.values()],
    emails: told.filter(({ email }) => email?.told === true).length,
  }
}

export const ActionTold = (question: ToldProps): ReactNode => {
  const { recordPage: texts } = useTexts()
  const { data } = useQuery(explainQuery({ ...question, operation: 'proceedToStep' }))
  if (!data) return null
  const { names, emails } = toldBy(data)
  const shown = names.slice(0, namedPeople).join(', ')
  const rest = names.length - namedPeople
  return (
    <p className="action-told" dir="auto">
      {names.length === 0 ? texts.tellsNobody : texts.tells(shown)}
      {rest > 0 && ` ${texts.andMore(rest)}`}
      {emails > 0 && ` · ${texts.emails(emails)}`}
    </p>
  )
}
