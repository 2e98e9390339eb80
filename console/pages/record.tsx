/** One record; the part of it that is shown stands in the address. */
import { useQuery } from '@tanstack/react-query'
import { useLocation, useNavigate } from '@tanstack/react-router'
import { type ComponentProps, memo, type ReactNode } from 'react'
import { recordQuery } from '../api/record.ts'
import type { HistoryFilter } from '../api/records/history.ts'
import { NeighboursBar } from '../features/preview/neighbours-bar.tsx'
import { includedLinks } from '../features/record/read-record.ts'
import { nameOf } from '../features/record/record-head.tsx'
import { RecordView } from '../features/record/record-view.tsx'
import { PageTitle } from '../features/session/page-title.tsx'
import { useSession } from '../features/session/session.ts'
import { useVisit } from '../features/session/visits.ts'
import { NotFound } from './not-found.tsx'

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
      entity={entity}
      id={id}
      part={part}
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
  const { entity, id } = props
  useVisit({ entity: entity.key, id })
  return (
    <>
      <RecordTitle entity={entity} id={id} />
      <RecordView {...props} lead={<NeighboursBar entity={entity.key} id={id} />} />
    </>
  )
}

/** What the record is called; its entity, if it cannot be read. */
const RecordTitle = ({ entity, id }: Pick<ComponentProps<typeof RecordView>, 'entity' | 'id'>) => {
  const include = includedLinks(entity, useSession().entities)
  // The page itself reads it.
  const { data, error } = useQuery({ ...recordQuery(entity.key, id, include), enabled: false })
  const name = data ? nameOf(entity, data.record) : error ? entity.name : undefined
  return <PageTitle of={name === undefined ? undefined : [name]} />
}
