/** Who was notified of what happened to a record, event by event, the newest first. */
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { historyQuery } from '../../api/records/history.ts'
import { type Notified, notifiedQuery } from '../../api/records/notified.ts'
import type { Entity } from '../../api/types.ts'
import { Button } from '../../parts/button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { ProblemNote, Waiting } from '../../parts/notes.tsx'
import { useRecipientTexts } from '../../texts/recipients/texts.ts'
import { useRecordPageTexts } from '../../texts/record-page/texts.ts'
import { useTexts } from '../../texts/texts.ts'
import { formatMoment } from '../format/format-value.ts'
import { useReading } from '../session/session.ts'
import { NotifiedPeople } from './notified-people.tsx'

type DialogProps = {
  readonly entity: Entity
  readonly id: number
  readonly onClose: () => void
}

/** What happened, as the history says it. */
const useEventText = (entity: Entity, id: number) => {
  const recordPage = useRecordPageTexts()
  const { data = [] } = useQuery(historyQuery(entity.key, id))
  const stepName = (key: string) =>
    entity.workflow?.steps.find((step) => step.key === key)?.name ?? key
  return ({ history_id: entryId, operation }: Notified): string => {
    const action = data.find((entry) => entry.id === entryId)?.action
    if (action) return `${stepName(action.from)} → ${stepName(action.to)}`
    return recordPage.operations[operation] ?? ''
  }
}

// As many as the service names.
const mostNamed = 10

export const NotifiedDialog = ({ entity, id, onClose }: DialogProps): ReactNode => {
  const { common } = useTexts()
  const recordPage = useRecordPageTexts()
  const texts = useRecipientTexts()
  const reading = useReading()
  const eventOf = useEventText(entity, id)
  const { data, error, refetch } = useQuery(notifiedQuery(entity.key, id))
  return (
    <Dialog title={recordPage.whoIsTold} onClose={onClose}>
      {!data &&
        (error ? <ProblemNote error={error} onRetry={() => void refetch()} /> : <Waiting />)}
      {data?.length === 0 && <p>{texts.nobodyYet}</p>}
      {data && data.length > 0 && (
        <ol className="notified-events">
          {data.map((notified) => (
            <li key={notified.history_id}>
              <span>
                <span dir="auto">{eventOf(notified)}</span>{' '}
                <time dateTime={notified.at}>{formatMoment(notified.at, reading)}</time>
              </span>
              <NotifiedPeople notified={notified} mostNamed={mostNamed} />
            </li>
          ))}
        </ol>
      )}
      <div className="dialog-actions">
        <Button onClick={onClose}>{common.close}</Button>
      </div>
    </Dialog>
  )
}
