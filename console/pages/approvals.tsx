/** The records of all entities that wait for a decision of the user, each with its actions beside the list. */
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { approvalsQuery } from '../api/queries.ts'
import type { Approval } from '../api/types.ts'
import { RecordView } from '../features/record/record-view.tsx'
import { useReading, useSession } from '../features/session/session.ts'
import { EmptyNote, ProblemNote, Waiting } from '../parts/notes.tsx'
import { useTexts } from '../texts/texts.ts'
import './work.css'

const keyOf = ({ entity, id }: Approval): string => `${entity}/${id}`

export const Approvals = (): ReactNode => {
  const { approvals: texts } = useTexts()
  const { entities } = useSession()
  const approvals = useQuery(approvalsQuery)
  const [chosenKey, setChosenKey] = useState<string>()
  const [part, setPart] = useState('')
  if (approvals.error) return <ProblemNote error={approvals.error} />
  if (!approvals.data) return <Waiting />
  // After a decision the next one opens by itself.
  const chosen = approvals.data.find((one) => keyOf(one) === chosenKey) ?? approvals.data[0]
  const entity = chosen && entities.get(chosen.entity)
  return (
    <div className="work">
      <header className="work-head">
        <h1>{texts.title}</h1>
      </header>
      {approvals.data.length === 0 ? (
        <EmptyNote title={texts.empty} />
      ) : (
        <div className="work-body">
          <ul className="work-list">
            {approvals.data.map((one) => (
              <li key={keyOf(one)}>
                <Item
                  approval={one}
                  isChosen={one === chosen}
                  onChoose={() => setChosenKey(keyOf(one))}
                />
              </li>
            ))}
          </ul>
          {chosen && entity && (
            <section className="work-record" aria-label={texts.record}>
              <RecordView
                key={keyOf(chosen)}
                {...{ entity, part }}
                id={chosen.id}
                onPart={setPart}
              />
            </section>
          )}
        </div>
      )}
    </div>
  )
}

type ItemProps = {
  readonly approval: Approval
  readonly isChosen: boolean
  readonly onChoose: () => void
}

const Item = ({ approval, isChosen, onChoose }: ItemProps): ReactNode => {
  const { approvals: texts } = useTexts()
  const { locale, timeZone } = useReading()
  const { entities } = useSession()
  const { entity, display, step, since, by } = approval
  const day = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone })
  return (
    <button
      type="button"
      className="work-item"
      aria-current={isChosen || undefined}
      onClick={onChoose}
    >
      <span className="work-title" dir="auto">
        {display}
      </span>
      <span className="work-note" dir="auto">
        {entities.get(entity)?.name} · {step.name ?? step.key}
      </span>
      <span className="work-meta">
        {since !== null && <time dateTime={since}>{texts.since(day.format(new Date(since)))}</time>}
        {by?.full_name && <span dir="auto">{by.full_name}</span>}
      </span>
    </button>
  )
}
