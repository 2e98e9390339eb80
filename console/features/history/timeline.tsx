/** What happened to a record, newest first: who did it, and each value before and after. */
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { historyQuery } from '../../api/queries.ts'
import type { Entity, HistoryEntry } from '../../api/types.ts'
import { ProblemNote, Waiting } from '../../parts/notes.tsx'
import { useTexts } from '../../texts/texts.ts'
import { labelOf } from '../list/columns.ts'
import { useReading } from '../session/session.ts'
import { formatMoment, formatValue } from '../values/format-value.ts'
import './timeline.css'

type TimelineProps = { readonly entity: Entity; readonly id: number }

export const Timeline = ({ entity, id }: TimelineProps): ReactNode => {
  const { record } = useTexts()
  const history = useQuery(historyQuery(entity.key, id))
  if (history.error) return <ProblemNote error={history.error} />
  if (!history.data) return <Waiting />
  if (history.data.length === 0) return <p className="timeline-empty">{record.noHistory}</p>
  return (
    <ol className="timeline">
      {history.data.map((entry) => (
        <Entry key={entry.id} entry={entry} entity={entity} />
      ))}
    </ol>
  )
}

type EntryProps = { readonly entry: HistoryEntry; readonly entity: Entity }

const Entry = ({ entry, entity }: EntryProps): ReactNode => {
  const { record, recordPage } = useTexts()
  const reading = useReading()
  const stepName = (key: string) =>
    entity.workflow?.steps.find((step) => step.key === key)?.name ?? key
  return (
    <li>
      <header>
        <strong dir="auto">
          {entry.user ? (entry.user.full_name ?? `${entry.user.id}`) : record.service}
        </strong>{' '}
        {entry.action
          ? `${stepName(entry.action.from)} → ${stepName(entry.action.to)}`
          : (recordPage.operations[entry.operation] ?? entry.operation)}
        <time dateTime={entry.at}>{formatMoment(entry.at, reading)}</time>
      </header>
      {entry.comment !== null && <blockquote dir="auto">{entry.comment}</blockquote>}
      <Changes entry={entry} entity={entity} />
    </li>
  )
}

const Changes = ({ entry, entity }: EntryProps): ReactNode => {
  const reading = useReading()
  const changes = Object.entries(entry.changes).flatMap(([column, change]) => {
    const field = entity.fields.find((one) => one.column === column)
    return field && !field.isSystem ? [{ column, field, change }] : []
  })
  if (changes.length === 0 || entry.operation === 'create') return null
  return (
    <ul>
      {changes.map(({ column, field, change }) => (
        <li key={column} dir="auto">
          {labelOf(field)}: <del>{formatValue(change.before, field, reading) || '–'}</del>{' '}
          <ins>{formatValue(change.after, field, reading) || '–'}</ins>
        </li>
      ))}
    </ul>
  )
}
