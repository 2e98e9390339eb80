/** What happened to a record, newest first: who did it, and each value before and after. */
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { historyQuery, type VersionedRecord } from '../../api/queries.ts'
import type { Entity, HistoryEntry } from '../../api/types.ts'
import { Button } from '../../parts/button.tsx'
import { ProblemNote, Waiting } from '../../parts/notes.tsx'
import { useTexts } from '../../texts/texts.ts'
import { useShortcuts } from '../keys/shortcuts.ts'
import { useReading, useSession } from '../session/session.ts'
import { formatMoment } from '../values/format-value.ts'
import { ChangedValues } from './changed-values.tsx'
import { useUndo, valuesBefore } from './undo.ts'
import './timeline.css'

type TimelineProps = {
  readonly entity: Entity
  readonly id: number
  /** The record as it is, for those who may change it. */
  readonly current?: VersionedRecord | undefined
}

export const Timeline = ({ entity, id, current }: TimelineProps): ReactNode => {
  const { record } = useTexts()
  const history = useQuery(historyQuery(entity.key, id))
  const { undo, undoOf } = useUndoing({ entity, id, current }, history.data)
  if (history.error && !history.data) return <ProblemNote error={history.error} />
  if (!history.data) return <Waiting />
  if (history.data.length === 0) return <p className="timeline-empty">{record.noHistory}</p>
  return (
    <>
      {undo.error && (
        <p role="alert" className="timeline-empty">
          {undo.error.message}
        </p>
      )}
      <ol className="timeline">
        {history.data.map((entry) => (
          <Entry key={entry.id} entry={entry} entity={entity} onUndo={undoOf(entry)} />
        ))}
      </ol>
    </>
  )
}

/** Which changes can be taken back, the last one of the user by a key. */
const useUndoing = (
  { entity, id, current }: TimelineProps,
  history: readonly HistoryEntry[] | undefined,
) => {
  const { common } = useTexts()
  const { me } = useSession()
  const undo = useUndo(entity, id)
  const undoOf = (entry: HistoryEntry) => {
    const values = current && valuesBefore(entry, entity, current.record)
    return values && !undo.isPending
      ? () => undo.mutate({ values, etag: current?.etag })
      : undefined
  }
  const last = history?.find(({ user, operation }) => user?.id === me.id && operation === 'change')
  const run = last && undoOf(last)
  useShortcuts(run ? [{ keys: 'z', label: common.undo, run }] : [])
  return { undo, undoOf }
}

type EntryProps = {
  readonly entry: HistoryEntry
  readonly entity: Entity
  readonly onUndo?: (() => void) | undefined
}

const Entry = ({ entry, entity, onUndo }: EntryProps): ReactNode => {
  const { record, recordPage, common } = useTexts()
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
      <ChangedValues entry={entry} entity={entity} />
      {onUndo && (
        <Button look="quiet" onClick={onUndo}>
          {common.undo}
        </Button>
      )}
    </li>
  )
}
