/** Who was notified because of an entry of the history. */
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { notifiedQuery } from '../../api/records/notified.ts'
import { useRecipientTexts } from '../../texts/recipients/texts.ts'
import { NotifiedPeople } from './notified-people.tsx'

type NotifiedProps = { readonly entity: string; readonly record: number; readonly entryId: number }

// All others are in the dialog of the record.
const mostNamed = 3

export const NotifiedOf = ({ entity, record, entryId }: NotifiedProps): ReactNode => {
  const texts = useRecipientTexts()
  const { data } = useQuery(notifiedQuery(entity, record))
  const notified = data?.find(({ history_id: id }) => id === entryId)
  // That nothing may be said of it need not be said beside every entry.
  if (!notified || notified.isPartial) return null
  return (
    <>
      <small className="sent-of-caption" aria-hidden="true">
        {texts.wereNotified}
      </small>
      <NotifiedPeople notified={notified} mostNamed={mostNamed} />
    </>
  )
}
