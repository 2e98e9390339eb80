/** A record that was removed: what it was, and how it comes back. */
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { removedQuery } from '../../api/record.ts'
import type { Entity } from '../../api/types.ts'
import { Button } from '../../parts/button.tsx'
import { ProblemNote, Waiting } from '../../parts/notes.tsx'
import { useRecordPageTexts } from '../../texts/record-page/texts.ts'
import { Timeline } from '../history/timeline.tsx'
import { useSession } from '../session/session.ts'
import { noChanges, unitIn } from './draft.ts'
import { FieldRow } from './field-row.tsx'
import { ownFields } from './own-fields.ts'
import { RecordHead } from './record-head.tsx'
import { useRecordWrite } from './use-record-write.ts'

type RemovedProps = {
  readonly entity: Entity
  readonly id: number
  /** Why the record could not be read. */
  readonly error: Error | null
}

export const RemovedRecord = ({ entity, id, error }: RemovedProps): ReactNode => {
  const recordPage = useRecordPageTexts()
  const { entities } = useSession()
  const found = useQuery(removedQuery(entity.key, id))
  const restored = useRecordWrite(entity, id)
  if (found.isPending) return <Waiting />
  const problem = found.error ?? error
  if (!found.data) return problem && <ProblemNote error={problem} />
  const record = found.data
  return (
    <div className="record">
      <RecordHead entity={entity} record={record} />
      <div className="record-removed" role="status">
        <span>{recordPage.removed}</span>
        <Button disabled={restored.isPending} onClick={() => restored.mutate({ write: 'restore' })}>
          {recordPage.restore}
        </Button>
        {restored.error && <span role="alert">{restored.error.message}</span>}
      </div>
      <div className="record-body">
        <div className="fields">
          {ownFields(entity).map((field) => (
            <FieldRow
              key={field.key}
              field={field}
              value={record[field.column ?? field.key]}
              unit={unitIn(field, { entity, entities, record, draft: noChanges })}
              isReadOnly
              onChange={() => undefined}
            />
          ))}
        </div>
        <aside aria-label={recordPage.history}>
          <h2>{recordPage.history}</h2>
          <Timeline entity={entity} id={id} />
        </aside>
      </div>
    </div>
  )
}
