/** A record as it is read and changed, on a page of its own or beside a list of work. */
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Entity } from '../../api/types.ts'
import { ProblemNote, Waiting } from '../../parts/notes.tsx'
import { useTexts } from '../../texts/texts.ts'
import { Timeline } from '../history/timeline.tsx'
import { useSession } from '../session/session.ts'
import { StepBar } from '../workflow/step-bar.tsx'
import { Fields } from './fields.tsx'
import { useRecord } from './use-record.ts'
import './record-view.css'

/** Its workflow, its fields, and its history. */
export const RecordView = ({
  entity,
  id,
}: {
  readonly entity: Entity
  readonly id: number
}): ReactNode => {
  const { record: texts } = useTexts()
  const { entities, me } = useSession()
  const edited = useRecord(entity, id)
  const { read, base } = edited
  if (!base) return read.error ? <ProblemNote error={read.error} /> : <Waiting />
  const { update } = entity.permissions
  const isOwn = base.record._created_by === me.id || base.record._owned_by === me.id
  return (
    <div className="record">
      <header className="record-head">
        <Link to="/$entity" params={{ entity: entity.key }}>
          <span dir="auto">{entity.name}</span>
        </Link>
        <h1 dir="auto">{String(base.record[entity.displayField] ?? id)}</h1>
      </header>
      {entity.workflow && <StepBar {...{ entity, id }} step={base.record._step} etag={base.etag} />}
      <div className="record-body">
        <Fields
          {...{ entity, edited, entities }}
          mayChange={update === true || (update === 'own' && isOwn)}
        />
        <aside aria-label={texts.history}>
          <h2>{texts.history}</h2>
          <Timeline entity={entity} id={id} />
        </aside>
      </div>
    </div>
  )
}
