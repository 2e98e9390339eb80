/** The history of a record, newest first: who changed what, each value before and after, and undo. */

import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { VersionedRecord } from '../../api/record.ts'
import {
  filteredHistoryQuery,
  type HistoryFilter,
  historyQuery,
  historyStep,
  isFiltered,
  tasksWord,
} from '../../api/records/history.ts'
import type { Entity, Field, HistoryEntry } from '../../api/types.ts'
import { Button } from '../../parts/button.tsx'
import { ProblemNote, Waiting } from '../../parts/notes.tsx'
import { useTexts, useWorkTexts } from '../../texts/texts.ts'
import { formatMoment } from '../format/format-value.ts'
import { useValueText } from '../forms/field-row.tsx'
import { undoOfFields, useUndo } from '../forms/undo.ts'
import { MoreWork, useLimit } from '../session/list-and-detail.tsx'
import { useReading, useSession } from '../session/session.ts'
import { useShortcuts } from '../session/shortcuts.ts'
import { useAuthorName } from '../session/user-names.tsx'
import { addressOf, outside } from '../values/address-of.ts'
import { labelOf } from '../values/columns.ts'
import { columnOf } from '../values/own-fields.ts'
import { NotifiedOf, SentOf, useOperationText } from './notified.tsx'
import './record.css'

type TimelineProps = {
  readonly entity: Entity
  readonly id: number
  /** The current record, for users who may change it. */
  readonly current?: VersionedRecord | undefined
  readonly filter?: HistoryFilter
  readonly onFilter?: ((filter: HistoryFilter) => void) | undefined
}

// A shorter history needs no filter.
const manyEntries = 4

const noFilter: HistoryFilter = {}

/** The history, below a filter where the page has an address for one and there are many entries. */
export const Timeline = ({ filter = noFilter, onFilter, ...shown }: TimelineProps): ReactNode => {
  const { data = [] } = useQuery(historyQuery(shown.entity.key, shown.id))
  const isLong = data.length >= manyEntries || isFiltered(filter)
  return (
    <>
      {onFilter && isLong && <HistoryFilterBar {...shown} filter={filter} onFilter={onFilter} />}
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
  const recordPage = useWorkTexts().record
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

/** An entry, or several changes of calculated values behind a summary. */
const Run = ({ run, entity, id, undoOf }: RunProps): ReactNode => {
  const recordPage = useWorkTexts().record
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

/** Which changes of fields can be undone, the last one of the user by a key. */
const useUndoing = (
  { entity, id, current }: Pick<TimelineProps, 'entity' | 'id' | 'current'>,
  history: readonly HistoryEntry[] | undefined,
) => {
  const { common } = useTexts()
  const { me } = useSession()
  const undo = useUndo()
  const undoOf = (entry: HistoryEntry) => {
    if (!current || undo.isPending) return undefined
    const write = undoOfFields({ entry, entity, id, row: current.record, etag: current.etag })
    return write && (() => undo.mutate(write))
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
  const operationText = useOperationText(entity)
  const recordPage = useWorkTexts().record
  const reading = useReading()
  const Sent = administration.includes('deliveries') ? SentOf : NotifiedOf
  return (
    <li>
      <header>
        <strong dir="auto">
          {entry.user ? authorName(entry.user, entry.acting_user) : recordPage.service}
        </strong>{' '}
        {operationText(entry.operation, entry.action)}
        <time dateTime={entry.at}>{formatMoment(entry.at, reading)}</time>
      </header>
      {entry.comment !== null && <blockquote dir="auto">{entry.comment}</blockquote>}
      <ChangedValues entry={entry} entity={entity} />
      {entity.notifiedOperations.some((operation) => operation === entry.operation) && (
        <Sent entity={entity.key} record={id} entryId={entry.id} />
      )}
      {onUndo && (
        <Button look="quiet" onClick={onUndo}>
          {common.undo}
        </Button>
      )}
    </li>
  )
}

type FilterBarProps = {
  readonly entity: Entity
  readonly id: number
  readonly filter: HistoryFilter
  readonly onFilter: (filter: HistoryFilter) => void
}

/** The users of the entries by id, also those who acted as another user. */
const usersIn = (entries: readonly HistoryEntry[]): ReadonlyMap<number, string> =>
  new Map(
    entries
      .flatMap(({ user, acting_user: acting }) => [user, acting])
      .flatMap((one) => (one ? [[one.id, one.full_name ?? `${one.id}`]] : [])),
  )

/** Chooses the entries of one field or of one user. */
const HistoryFilterBar = ({ entity, id, filter, onFilter }: FilterBarProps): ReactNode => {
  const { tasks } = useTexts()
  const texts = useWorkTexts().history
  const { data = [] } = useQuery(historyQuery(entity.key, id))
  const { by, field } = filter
  const users = usersIn(data)
  const named = by === undefined || users.has(by) ? users : new Map([...users, [by, `${by}`]])
  const fields = entity.fields.filter(({ column, isSystem }) => column !== null && !isSystem)
  const chooseField = (text: string) =>
    onFilter({ ...(by !== undefined && { by }), ...(text !== '' && { field: text }) })
  const chooseUser = (text: string) =>
    onFilter({ ...(field !== undefined && { field }), ...(text !== '' && { by: Number(text) }) })
  return (
    <div className="history-filter">
      <select
        className="field-input"
        aria-label={texts.field}
        value={field ?? ''}
        onChange={({ target }) => chooseField(target.value)}
      >
        <option value="">{texts.allFields}</option>
        {fields.map((one) => (
          <option key={one.key} value={columnOf(one)}>
            {labelOf(one)}
          </option>
        ))}
        {entity.workflow && <option value="_step">{texts.steps}</option>}
        <option value={tasksWord}>{tasks.ofRecord}</option>
      </select>
      <select
        className="field-input"
        aria-label={texts.person}
        value={by ?? ''}
        onChange={({ target }) => chooseUser(target.value)}
      >
        <option value="">{texts.everybody}</option>
        {[...named].map(([user, name]) => (
          <option key={user} value={user}>
            {name}
          </option>
        ))}
      </select>
    </div>
  )
}

type ChangesProps = {
  readonly entry: Pick<HistoryEntry, 'changes' | 'operation' | 'task_id'>
  readonly entity: Entity
}

// The fields in the form of a task; the operation says whether it was completed.
const taskColumns: ReadonlySet<string | null> = new Set(['description', 'due_date', 'assigne_id'])

/** The fields of an entry: those of the record, or of its task. */
const fieldsOf = (
  { task_id: taskId }: ChangesProps['entry'],
  { fields }: Entity,
  entities: ReadonlyMap<string, Entity>,
): readonly Field[] =>
  taskId === null
    ? fields.filter(({ isSystem }) => !isSystem)
    : (entities.get('task')?.fields ?? []).filter(({ column }) => taskColumns.has(column))

/** The values of an entry, each before and after; none for a created record, which has these values. */
export const ChangedValues = ({ entry, entity }: ChangesProps): ReactNode => {
  const { entities } = useSession()
  const fields = fieldsOf(entry, entity, entities)
  const owner = (entry.task_id === null ? undefined : entities.get('task')) ?? entity
  const changes = Object.entries(entry.changes).flatMap(([column, change]) => {
    const field = fields.find((one) => one.column === column)
    return field ? [{ column, field, ...change }] : []
  })
  if (changes.length === 0 || entry.operation === 'create') return null
  return (
    <ul className="changed-values">
      {changes.map(({ column, field, ...change }) => (
        <li key={column} dir="auto">
          {labelOf(field)}:{' '}
          {isFilled(change.before) && (
            <>
              <del>
                <Value owner={owner} field={field} value={change.before} />
              </del>{' '}
            </>
          )}
          <ins>
            <Value owner={owner} field={field} value={change.after} />
          </ins>
        </li>
      ))}
    </ul>
  )
}

/** An empty value before a change is not shown. */
const isFilled = (value: unknown): boolean => value !== undefined && value !== null && value !== ''

type ValueProps = { readonly field: Field; readonly value: unknown; readonly owner: Entity }

const Value = ({ field, value, owner }: ValueProps): ReactNode => {
  const text = useValueText(value, field, { owner }) || '–'
  const href = addressOf(value, field)
  return href === undefined ? (
    text
  ) : (
    <a href={href} {...outside}>
      {text}
    </a>
  )
}

/** The entries in their order; successive changes of calculated values alone are one run, because they say little one by one. */
const foldCalculated = (
  entries: readonly HistoryEntry[],
  { fields }: Pick<Entity, 'fields'>,
): readonly (readonly HistoryEntry[])[] => {
  const calculated = new Set(fields.flatMap((field) => (field.isCalculated ? field.column : [])))
  const isCalculated = ({ operation, changes }: HistoryEntry) => {
    const names = Object.keys(changes)
    return operation === 'change' && names.length > 0 && names.every((name) => calculated.has(name))
  }
  return entries.reduce<HistoryEntry[][]>((runs, entry) => {
    const last = runs.at(-1)
    if (last?.every(isCalculated) && isCalculated(entry)) last.push(entry)
    else runs.push([entry])
    return runs
  }, [])
}
