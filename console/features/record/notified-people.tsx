/** Who was notified of one event: names that the user may read, with channels and times, and the number of the others. */
import type { ReactNode } from 'react'
import type { Notified } from '../../api/records/notified.ts'
import { useRecipientTexts } from '../../texts/recipients/texts.ts'
import { useTexts } from '../../texts/texts.ts'
import { formatMoment } from '../format/format-value.ts'
import { useReading, useSession } from '../session/session.ts'
import './sent-of.css'

type PeopleProps = { readonly notified: Notified; readonly mostNamed: number }

export const NotifiedPeople = ({ notified, mostNamed }: PeopleProps): ReactNode => {
  const texts = useRecipientTexts()
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
