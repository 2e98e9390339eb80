/** What happened to a record, newest first: who did it, and each value before and after. */
import { useQuery } from '@tanstack/react-query'
import { lazy, type ReactNode, Suspense } from 'react'
import type { VersionedRecord } from '../../api/record.ts'
import {
  filteredHistoryQuery,
  type HistoryFilter,
  historyQuery,
  historyStep,
  isFiltered,
} from '../../api/records/history.ts'
import type { Entity, HistoryEntry } from '../../api/types.ts'
import { Button } from '../../parts/button.tsx'
import { ProblemNote, Waiting } from '../../parts/notes.tsx'
import { useRecordPageTexts } from '../../texts/record-page/texts.ts'
import { useTexts } from '../../texts/texts.ts'
import { formatMoment } from '../format/format-value.ts'
import { MoreWork, useLimit } from '../session/more-work.tsx'
import { useReading, useSession } from '../session/session.ts'
import { useShortcuts } from '../session/shortcuts.ts'
import { useAuthorName } from '../session/use-author-name.ts'
import { ChangedValues } from './changed-values.tsx'
import { foldCalculated } from './fold-calculated.ts'
import { useUndo, valuesBefore } from './undo.ts'
import './timeline.css'

type TimelineProps = {
  readonly entity: Entity
  readonly id: number
  /** The record as it is, for those who may change it. */
  readonly current?: VersionedRecord | undefined
  readonly filter?: HistoryFilter
  readonly onFilter?: ((filter: HistoryFilter) => void) | undefined
}

const SentOf = lazy(async () => ({ default: (await import('./sent-of.tsx')).SentOf }))

const NotifiedOf = lazy(async () => ({
  default: (await import('./notified-of.tsx')).NotifiedOf,
}))

const HistoryFilterBar = lazy(async () => ({
  default: (await import('./history-filter.tsx')).HistoryFilterBar,
}))

// Fewer are read at a glance.
const manyEntries = 4

const noFilter: HistoryFilter = {}

/** With a filter above it where the page has a place for what is chosen, and there is much to choose from. */
export const Timeline = ({ filter = noFilter, onFilter, ...shown }: TimelineProps): ReactNode => {
  const { data = [] } = useQuery(historyQuery(shown.entity.key, shown.id))
  const isLong = data.length >= manyEntries || isFiltered(filter)
  return (
    <>
      {onFilter && isLong && (
        <Suspense>
          <HistoryFilterBar {...shown} filter={filter} onFilter={onFilter} />
        </Suspense>
      )}
      <Entries
        key={JSON.stringify([shown.entity.key, shown.id, filter])}
        {...shown}
        filter={filter}
      />
    </>
  )
}

type EntriesProps = Pick<TimelineProps, 'entity' | 'id' | 'current'> & {
  readonly filter: HistoryFilter
}

const Entries = ({ entity, id, current, filter }: EntriesProps): ReactNode => {
  const { palette } = useTexts()
  const recordPage = useRecordPageTexts()
  const limit = useLimit(historyStep)
  const history = useQuery(filteredHistoryQuery(entity.key, id, { ...filter, limit: limit.limit }))
  const { undo, undoOf } = useUndoing({ entity, id, current }, history.data)
  const retry = () => void history.refetch()
  if (!history.data)
    return history.error ? <ProblemNote error={history.error} onRetry={retry} /> : <Waiting />
  if (history.data.length === 0)
    return (
      <p className="timeline-empty">{isFiltered(filter) ? palette.none : recordPage.noHistory}</p>
    )
  return (
    <>
      {undo.error && (
        <p role="alert" className="timeline-empty">
          {undo.error.message}
        </p>
      )}
      <ol className="timeline">
        {foldCalculated(history.data, entity).map((run) => (
          <Run key={run[0]?.id} run={run} entity={entity} id={id} undoOf={undoOf} />
        ))}
      </ol>
      {limit.hasMore(history.data.length) && <MoreWork limit={limit} />}
    </>
  )
}

type RunProps = Pick<TimelineProps, 'entity' | 'id'> & {
  readonly run: readonly HistoryEntry[]
  readonly undoOf: (entry: HistoryEntry) => (() => void) | undefined
}

/** Several entries of one kind are shown when somebody asks for them. */
const Run = ({ run, entity, id, undoOf }: RunProps): ReactNode => {
  const recordPage = useRecordPageTexts()
  const entries = run.map((entry) => (
    <Entry key={entry.id} entry={entry} entity={entity} id={id} onUndo={undoOf(entry)} />
  ))
  if (run.length === 1) return entries
  return (
    <li>
      <details>
        <summary>{recordPage.calculatedChanges(run.length)}</summary>
        <ol className="timeline">{entries}</ol>
      </details>
    </li>
  )
}

/** Which changes can be taken back, the last one of the user by a key. */
const useUndoing = (
  { entity, id, current }: Pick<TimelineProps, 'entity' | 'id' | 'current'>,
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
  readonly id: number
  readonly onUndo?: (() => void) | undefined
}

const Entry = ({ entry, entity, id, onUndo }: EntryProps): ReactNode => {
  const { administration } = useSession().me
  const { common } = useTexts()
  const authorName = useAuthorName()
  const recordPage = useRecordPageTexts()
  const reading = useReading()
  const Sent = administration.includes('deliveries') ? SentOf : NotifiedOf
  const stepName = (key: string) =>
    entity.workflow?.steps.find((step) => step.key === key)?.name ?? key
  return (
    <li>
      <header>
        <strong dir="auto">
          {entry.user ? authorName(entry.user, entry.acting_user) : recordPage.service}
        </strong>{' '}
        {entry.action
          ? `${stepName(entry.action.from)} → ${stepName(entry.action.to)}`
          : (recordPage.operations[entry.operation] ?? entry.operation)}
        <time dateTime={entry.at}>{formatMoment(entry.at, reading)}</time>
      </header>
      {entry.comment !== null && <blockquote dir="auto">{entry.comment}</blockquote>}
      <ChangedValues entry={entry} entity={entity} />
      {entity.notifiedOperations.some((operation) => operation === entry.operation) && (
        <Suspense>
          <Sent entity={entity.key} record={id} entryId={entry.id} />
        </Suspense>
      )}
      {onUndo && (
        <Button look="quiet" onClick={onUndo}>
          {common.undo}
        </Button>
      )}
    </li>
  )
}
