/** One record; the part of it that is shown stands in the address. */
import { useLocation, useNavigate } from '@tanstack/react-router'
import { type ComponentProps, memo, type ReactNode } from 'react'
import type { HistoryFilter } from '../api/records/history.ts'
import { NeighboursBar } from '../features/neighbours/neighbours-bar.tsx'
import { RecordView } from '../features/record/record-view.tsx'
import { useSession } from '../features/session/session.ts'
import { useVisit } from '../features/settings/visits.ts'
import { useDocumentTexts } from '../texts/documents/texts.ts'
import { useRecordPageTexts } from '../texts/record-page/texts.ts'
import { useTaskTexts } from '../texts/tasks/texts.ts'
import { NotFound } from './not-found.tsx'

export const texts = [useDocumentTexts, useRecordPageTexts, useTaskTexts] as const

type RecordProps = {
  readonly entity: string
  readonly id: string
  /** Which entries of its history are shown. */
  readonly filter: HistoryFilter
}

export const Record = memo(({ entity: key, id: text, filter }: RecordProps): ReactNode => {
  const part = useLocation({ select: ({ hash }) => hash })
  const navigate = useNavigate({ from: '/$entity/$id' })
  const entity = useSession().entities.get(key)
  const id = Number(text)
  if (!entity || entity.permissions.read === false || !Number.isSafeInteger(id)) return <NotFound />
  return (
    <VisitedRecord
      key={`${key}/${id}`}
      {...{ entity, id, part }}
      history={{
        filter,
        onFilter: (search) =>
          void navigate({
            search,
            hash: true,
            state: true,
            replace: true,
            hashScrollIntoView: false,
          }),
      }}
      onPart={(hash) =>
        void navigate({ hash, search: true, state: true, replace: true, hashScrollIntoView: false })
      }
    />
  )
})

/** A record that is opened, which "My day" offers again. */
const VisitedRecord = (props: ComponentProps<typeof RecordView>): ReactNode => {
  useVisit({ entity: props.entity.key, id: props.id })
  return <RecordView {...props} lead={<NeighboursBar entity={props.entity.key} id={props.id} />} />
}
