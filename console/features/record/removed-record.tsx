/** A removed record: its values, who removed it, and restoring it. */
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { removedQuery, removedRightsQuery } from '../../api/record.ts'
import { momentColumn, removerColumn } from '../../api/records/removed.ts'
import type { Entity, RecordRow } from '../../api/types.ts'
import { Button } from '../../parts/button.tsx'
import { ProblemNote, Waiting } from '../../parts/notes.tsx'
import { useWorkTexts } from '../../texts/texts.ts'
import { formatMoment } from '../format/format-value.ts'
import { noChanges, unitIn } from '../forms/draft.ts'
import { FieldRow } from '../forms/field-row.tsx'
import { WayOn } from '../search/way-on.tsx'
import { useReading, useSession } from '../session/session.ts'
import { nameBehind } from '../values/columns.ts'
import { columnOf, ownFields } from '../values/own-fields.ts'
import { LockedNote } from '../workflow/step-bar.tsx'
import { includedLinks, ownerColumn } from './read-record.ts'
import { RecordHead, useRecordWrite } from './record-head.tsx'
import { Timeline } from './timeline.tsx'

type RemovedProps = {
  readonly entity: Entity
  readonly id: number
  /** Why the record could not be read. */
  readonly error: Error | null
}

export const RemovedRecord = ({ entity, id, error }: RemovedProps): ReactNode => {
  const recordPage = useWorkTexts().record
  const { entities } = useSession()
  const include = includedLinks(entity, entities, [ownerColumn, removerColumn])
  const found = useQuery(removedQuery(entity.key, id, include))
  const hasRight = entity.permissions.delete !== false
  const { data: rights } = useQuery({ ...removedRightsQuery(entity.key, id), enabled: hasRight })
  if (found.isPending) return <Waiting />
  const problem = error ?? found.error
  if (!found.data)
    return (
      problem && (
        <ProblemNote error={problem}>
          <WayOn />
        </ProblemNote>
      )
    )
  const record = found.data
  const mayRestore = rights?.may.delete === true
  return (
    <div className="record">
      <RecordHead entity={entity} record={record} />
      <RemovedNote entity={entity} id={id} record={record} mayRestore={mayRestore} />
      {rights && <LockedNote entity={entity} locked={rights.lockedFields} />}
      <div className="record-body">
        <div>
          <div className="fields">
            {ownFields(entity).map((field) => (
              <FieldRow
                key={field.key}
                field={field}
                place={{ entity: entity.key, id }}
                value={record[columnOf(field)]}
                linked={nameBehind(record, field, entities)}
                unit={unitIn(field, { entity, entities, record, draft: noChanges })}
                isReadOnly
                onChange={() => undefined}
              />
            ))}
          </div>
        </div>
        {hasRight && (
          <aside aria-label={recordPage.history}>
            <h2>{recordPage.history}</h2>
            <Timeline entity={entity} id={id} />
          </aside>
        )}
      </div>
    </div>
  )
}

type NoteProps = Pick<RemovedProps, 'entity' | 'id'> & {
  readonly record: RecordRow
  readonly mayRestore: boolean
}

const RemovedNote = ({ entity, id, record, mayRestore }: NoteProps): ReactNode => {
  const recordPage = useWorkTexts().record
  const reading = useReading()
  const { entities } = useSession()
  const restored = useRecordWrite(entity, id)
  const remover = entity.fields.find(({ column }) => column === removerColumn)
  const who = remover && nameBehind(record, remover, entities)
  const at = record[momentColumn]
  const when = typeof at === 'string' ? formatMoment(at, reading) : undefined
  return (
    <div className="record-removed" role="status">
      <span>
        {recordPage.removed}{' '}
        <span className="removed-by" dir="auto">
          {[who, when].filter(Boolean).join(' · ')}
        </span>
      </span>
      {mayRestore && (
        <Button disabled={restored.isPending} onClick={() => restored.mutate({ write: 'restore' })}>
          {recordPage.restore}
        </Button>
      )}
      {restored.error && <span role="alert">{restored.error.message}</span>}
    </div>
  )
}
