/** What a record is: its entity, its name, who looks after it; beside them what may be done. */
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Entity, RecordRow } from '../../api/types.ts'
import { useRecordPageTexts } from '../../texts/record-page/texts.ts'
import { useTexts } from '../../texts/texts.ts'
import { RecordFacts } from '../preview/record-facts.tsx'
import { ExplainLink } from '../session/explain-link.tsx'
import { useSession } from '../session/session.ts'
import { ownerOf } from './ownership.ts'

type HeadProps = {
  readonly entity: Entity
  readonly record: RecordRow
  readonly lead?: ReactNode
  readonly children?: ReactNode
}

/** What people call a record. */
export const nameOf = ({ displayField }: Entity, record: RecordRow): string =>
  String(record[displayField] ?? record.id)

export const RecordHead = ({ entity, record, lead, children }: HeadProps): ReactNode => (
  <header className="record-head">
    <div className="record-title">
      <Link to="/$entity" params={{ entity: entity.key }}>
        <span dir="auto">{entity.pluralName}</span>
      </Link>
      <h1 dir="auto">{nameOf(entity, record)}</h1>
      <RecordFacts entity={entity} record={record} />
    </div>
    {lead}
    <OwnerNote record={record} />
    <ExplainLink search={{ entity: entity.key, record: record.id }}>
      {useRecordPageTexts().whoIsTold}
    </ExplainLink>
    {children}
  </header>
)

const OwnerNote = ({ record }: { readonly record: RecordRow }): ReactNode => {
  const { record: texts } = useTexts()
  const recordPage = useRecordPageTexts()
  const { me } = useSession()
  const owner = ownerOf(record)
  if (!owner) return null
  const isMe = owner.id === me.id
  const name = owner.name ?? (isMe ? me.full_name : null) ?? String(owner.id)
  return (
    <span className="record-owner" dir="auto">
      {recordPage.owner(isMe ? texts.you(name) : name)}
    </span>
  )
}
