/** Who was notified of changes of a record, by which channel and when. */

import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { historyQuery } from '../../api/records/history.ts'
import { type Notified, notifiedQuery, sentAboutQuery } from '../../api/records/notified.ts'
import type { Entity, HistoryEntry } from '../../api/types.ts'
import { Dialog, DialogEnd } from '../../parts/dialog.tsx'
import { ProblemNote, Waiting } from '../../parts/notes.tsx'
import { useAdminTexts, useTexts, useWorkTexts } from '../../texts/texts.ts'
import { formatMoment } from '../format/format-value.ts'
import { useReading, useSession } from '../session/session.ts'
import './record.css'

type DialogProps = {
  readonly entity: Entity
  readonly id: number
  readonly onClose: () => void
}

/** What an entry of the history did: the step of an action, or the operation. */
export const useOperationText = ({ workflow }: Entity) => {
  const { operations } = useWorkTexts().record
  const stepName = (key: string) => workflow?.steps.find((step) => step.key === key)?.name ?? key
  return (operation: string, action: HistoryEntry['action'] | undefined): string =>
    action
      ? `${stepName(action.from)} → ${stepName(action.to)}`
      : (operations[operation] ?? operation)
}

// The service names no more.
const mostNamed = 10

export const NotifiedDialog = ({ entity, id, onClose }: DialogProps): ReactNode => {
  const recordPage = useWorkTexts().record
  return (
    <Dialog title={recordPage.whoIsTold} onClose={onClose}>
      <NotifiedEvents entity={entity} id={id} />
      <DialogEnd onClose={onClose} look="plain" />
    </Dialog>
  )
}

/** Who was notified of each event of a record, the newest first. */
export const NotifiedEvents = ({ entity, id }: Omit<DialogProps, 'onClose'>): ReactNode => {
  const texts = useWorkTexts().recipients
  const reading = useReading()
  const operationText = useOperationText(entity)
  const history = useQuery(historyQuery(entity.key, id))
  const actionOf = (entryId: number) => history.data?.find((entry) => entry.id === entryId)?.action
  const { data, error, refetch } = useQuery(notifiedQuery(entity.key, id))
  if (!data)
    return error ? <ProblemNote error={error} onRetry={() => void refetch()} /> : <Waiting />
  if (data.length === 0) return <p>{texts.nobodyYet}</p>
  return (
    <ol className="notified-events">
      {data.map((notified) => (
        <li key={notified.history_id}>
          <span>
            <span dir="auto">
              {operationText(notified.operation, actionOf(notified.history_id))}
            </span>{' '}
            <time dateTime={notified.at}>{formatMoment(notified.at, reading)}</time>
          </span>
          <NotifiedUsers notified={notified} mostNamed={mostNamed} />
        </li>
      ))}
    </ol>
  )
}

type NotifiedProps = { readonly entity: string; readonly record: number; readonly entryId: number }

// The dialog of the record has more.
const mostInEntry = 3

/** Who was notified because of an entry of the history. */
export const NotifiedOf = ({ entity, record, entryId }: NotifiedProps): ReactNode => {
  const texts = useWorkTexts().recipients
  const { data } = useQuery(notifiedQuery(entity, record))
  const notified = data?.find(({ history_id: id }) => id === entryId)
  // The dialog says that others are hidden; every entry need not.
  if (!notified || notified.isPartial) return null
  return (
    <>
      <small className="sent-of-caption" aria-hidden="true">
        {texts.wereNotified}
      </small>
      <NotifiedUsers notified={notified} mostNamed={mostInEntry} />
    </>
  )
}

type UsersProps = { readonly notified: Notified; readonly mostNamed: number }

/** Users that were notified, as far as the user may see them, with channels and times, and the number of others. */
const NotifiedUsers = ({ notified, mostNamed }: UsersProps): ReactNode => {
  const texts = useWorkTexts().recipients
  const { record } = useTexts()
  const { me } = useSession()
  const reading = useReading()
  const { people, count, hasMore, isPartial } = notified
  const named = people.slice(0, mostNamed)
  const others = count - named.length
  return (
    <ul className="sent-of" aria-label={texts.wereNotified}>
      {named.map(({ id, full_name: name, channels }) => (
        <li key={id}>
          <span dir="auto">{id === me.id ? record.you(name ?? `${id}`) : (name ?? `${id}`)}</span>
          <span>
            {channels
              .map(({ channel, at }) =>
                at === null
                  ? texts.notYet(texts.channels[channel])
                  : `${texts.channels[channel]} ${formatMoment(at, reading)}`,
              )
              .join(' · ')}
          </span>
        </li>
      ))}
      {others > 0 && (
        <li>
          <span>
            {hasMore
              ? texts.moreThan(count)
              : named.length > 0
                ? texts.further(others)
                : texts.people(others)}
          </span>
        </li>
      )}
      {isPartial && (
        <li>
          <span>{texts.wasHidden}</span>
        </li>
      )}
    </ul>
  )
}

type SentProps = { readonly entity: string; readonly record: number; readonly entryId: number }

// The page of deliveries has all of them.
const mostShown = 3

/** The deliveries because of an entry of the history, for administrators. */
export const SentOf = ({ entity, record, entryId }: SentProps): ReactNode => {
  const { deliveries: texts, explain } = useAdminTexts()
  const { record: recordPage, recipients } = useWorkTexts()
  const reading = useReading()
  const { data } = useQuery(sentAboutQuery(entity, record))
  const sent = data?.get(entryId) ?? []
  if (sent.length === 0) return null
  const rest = sent.length - mostShown
  return (
    <ul className="sent-of" aria-label={explain.sent}>
      {sent.slice(0, mostShown).map((one) => (
        <li key={one.id} data-status={one.status}>
          <span dir="auto">{one.user.full_name ?? one.address}</span>
          <Link to="/-/admin/deliveries/$id" params={{ id: `${one.id}` }} dir="auto">
            {one.subject || texts.noSubject}
          </Link>
          <span>
            {recipients.channels[one.channel]} · {texts.statuses[one.status]}
            {one.sent_at !== null && ` ${formatMoment(one.sent_at, reading)}`}
          </span>
        </li>
      ))}
      {rest > 0 && (
        <li>
          <Link to="/-/admin/deliveries" search={{ entity, record }}>
            {recordPage.andMore(rest)}
          </Link>
        </li>
      )}
    </ul>
  )
}
