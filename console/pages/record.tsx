/** One record: its workflow, its fields, and its history. */
import { Link, useParams } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Entity } from '../api/types.ts'
import { Timeline } from '../features/history/timeline.tsx'
import { Fields } from '../features/record/fields.tsx'
import { useRecord } from '../features/record/use-record.ts'
import { useSession } from '../features/session/session.ts'
import { StepBar } from '../features/workflow/step-bar.tsx'
import { ProblemNote, Waiting } from '../parts/notes.tsx'
import { useTexts } from '../texts/texts.ts'
import { NotFound } from './not-found.tsx'
import './record.css'

export const Record = (): ReactNode => {
  const { entity: key, id: text } = useParams({ from: '/$entity/$id' })
  const entity = useSession().entities.get(key)
  const id = Number(text)
  if (!entity || entity.permissions.read === false || !Number.isSafeInteger(id)) return <NotFound />
  return <EntityRecord key={`${key}/${id}`} entity={entity} id={id} />
}

const EntityRecord = ({
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
