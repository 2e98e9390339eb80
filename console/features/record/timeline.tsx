/** The history of a record, newest first: who changed what, each value before and after, and undo; among it what was said about it. */
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useEffect, useEffectEvent } from 'react'
import { labelOf } from '../../../src/definitions/values/rules/key-names.ts'
import type { OpenActions } from '../../api/open-actions.ts'
import type { VersionedRecord } from '../../api/record.ts'
import { commentsQuery } from '../../api/records/comments.ts'
import {
  filteredHistoryQuery,
  type HistoryFilter,
  historyQuery,
  historyStep,
  isFiltered,
  subjectWord,
} from '../../api/records/history.ts'
import type { Entity, Field, HistoryEntry } from '../../api/types.ts'
import { Button } from '../../parts/button.tsx'
import { laterPart } from '../../parts/later.tsx'
import { ProblemNote, Waiting } from '../../parts/notes.tsx'
import { useTexts, useWorkTexts } from '../../texts/texts.ts'
import { filesField, type Thread, threadAt, threadsOf, withThreads } from '../comments/threads.ts'
import { isFileField } from '../files/file-values.ts'
import { filesOf } from '../files/shown-files.ts'
import { kindOf } from '../format/field-kinds.ts'
import { formatMoment } from '../format/format-value.ts'
import { useValueText } from '../forms/field-row.tsx'
import { undoOfFields, useUndo } from '../forms/undo.ts'
import { MoreWork, useLimit } from '../session/list-and-detail.tsx'
import { useReading, useSession } from '../session/session.ts'
import { useShortcuts } from '../session/shortcuts.ts'
import { useAuthorName } from '../session/user-names.tsx'
import { addressOf, outside } from '../values/address-of.ts'
import { HistoryFilterBar } from './history-filter.tsx'
import { NotifiedEvents, NotifiedOf, SentOf, useOperationText } from './notified.tsx'
import './record.css'

const CommentHead = laterPart(
  async () => (await import('../comments/comment-head.tsx')).CommentHead,
)
const CommentThread = laterPart(
  async () => (await import('../comments/comment-thread.tsx')).CommentThread,
)

const FileNames = laterPart(async () => (await import('../files/file-list.tsx')).FileNames)

type TimelineProps = {
  readonly entity: Entity
  readonly id: number
  /** The current record, for users who may change it. */
  readonly current?: VersionedRecord | undefined
  /** What the user may do with it; undefined of a removed one, on which nobody comments. */
  readonly may?: OpenActions['may'] | undefined
  /** The comment to which the address leads. */
  readonly comment?: number | undefined
  readonly filter?: HistoryFilter
  readonly onFilter?: ((filter: HistoryFilter) => void) | undefined
}

// A shorter history needs no filter.
const manyEntries = 4

const noFilter: HistoryFilter = {}

/** The history, below a filter where the page has an address for one and there are many entries. */
export const Timeline = ({ filter = noFilter, onFilter, ...shown }: TimelineProps): ReactNode => {
  const { entity, id, may } = shown
  const { data = [] } = useQuery(historyQuery(entity.key, id))
  const isLong = data.length >= manyEntries || isFiltered(filter)
  return (
    <>
      {may && entity.comments && <CommentHead entity={entity} id={id} may={may} />}
      {onFilter && isLong && <HistoryFilterBar {...shown} filter={filter} onFilter={onFilter} />}
      {filter.field === subjectWord('notices') ? (
        <NotifiedEvents entity={entity} id={id} />
      ) : (
        <Entries key={JSON.stringify([entity.key, id, filter])} {...shown} filter={filter} />
      )}
    </>
  )
}

type EntriesProps = Omit<TimelineProps, 'filter' | 'onFilter'> & {
  readonly filter: HistoryFilter
}

const Entries = ({ filter, ...shown }: EntriesProps): ReactNode => {
  const { entity, id, current, may, comment } = shown
  const { palette } = useTexts()
  const recordPage = useWorkTexts().record
  const limit = useLimit(historyStep)
  const history = useQuery(filteredHistoryQuery(entity.key, id, { ...filter, limit: limit.limit }))
  const { undo, undoOf } = useUndoing({ entity, id, current }, history.data)
  const threads = useThreads(shown, filter, limit.limit)
  useReach(comment, threads, history.data && limit.hasMore(history.data.length), limit.raise)
  const retry = () => void history.refetch()
  if (!history.data || !threads)
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
        {foldCalculated(withThreads(history.data, threads), entity).map((run) => {
          const [entry] = run
          const thread = entry && threadAt(entry, threads)
          return may && thread ? (
            <li key={`thread ${thread.first?.id ?? thread.replies[0]?.parent_id}`}>
              <CommentThread
                place={{ entity: entity.key, id }}
                thread={thread}
                may={may}
                target={comment}
              />
            </li>
          ) : (
            <Run key={entry?.id} run={run} entity={entity} id={id} undoOf={undoOf} />
          )
        })}
      </ol>
      {limit.hasMore(history.data.length) && <MoreWork limit={limit} />}
    </>
  )
}

const noThreads: ReadonlyMap<number, Thread> = new Map()

/** The threads of comments by the ids of these; none where what one user has done, or files, are shown. Undefined until they are read. */
const useThreads = (
  { entity, id, may }: TimelineProps,
  { by, field }: HistoryFilter,
  limit: number,
): ReadonlyMap<number, Thread> | undefined => {
  const isShown =
    may !== undefined &&
    entity.comments !== null &&
    by === undefined &&
    field !== subjectWord('files')
  const { data, error } = useQuery({
    ...commentsQuery({ entity: entity.key, id }, limit),
    enabled: isShown,
  })
  if (!isShown || (error && !data)) return noThreads
  return data && threadsOf(data)
}

/** Reads further until the comment is there to which the address leads. */
const useReach = (
  comment: number | undefined,
  threads: ReadonlyMap<number, Thread> | undefined,
  hasMore: boolean | undefined,
  onMore: () => void,
): void => {
  const isMissed = comment !== undefined && threads?.has(comment) === false && hasMore === true
  const read = useEffectEvent(onMore)
  useEffect(() => {
    if (isMissed) read()
  }, [isMissed])
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
        {operationText(entry.operation, entry.action)}{' '}
        <time dateTime={entry.at}>{formatMoment(entry.at, reading)}</time>
      </header>
      {entry.comment !== null && <blockquote dir="auto">{entry.comment}</blockquote>}
      {entry.part?.text && <blockquote dir="auto">{entry.part.text}</blockquote>}
      <ChangedValues entry={entry} entity={entity} id={id} />
      {entity.notifiedOperations.some((operation) => tellsOf(operation, entry)) && (
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

/** Whether rules about an operation tell of an entry. */
const tellsOf = (operation: string, entry: Pick<HistoryEntry, 'operation' | 'part'>): boolean =>
  entry.part?.entity === 'comment'
    ? operation === 'comment' || operation === 'mention'
    : operation === entry.operation

type ChangesProps = {
  readonly entry: Pick<HistoryEntry, 'changes' | 'operation' | 'part' | 'task_id' | 'users'>
  readonly entity: Entity
  /** Of the record, whose files are shown, also those that it has no more. */
  readonly id?: number | null
}

// The fields in the form of a task; the operation says whether it was completed.
const taskColumns: ReadonlySet<string | null> = new Set(['description', 'due_date', 'assigne_id'])

/** The fields of an entry: those of the record, of its task, or the files of a comment. What that says is no value of a field. */
const fieldsOf = (
  { part, task_id: taskId }: ChangesProps['entry'],
  { fields }: Entity,
  entities: ReadonlyMap<string, Entity>,
  filesOfComment: string,
): readonly Field[] => {
  if (taskId !== null)
    return (entities.get('task')?.fields ?? []).filter(({ column }) => taskColumns.has(column))
  if (part) return part.entity === 'comment' ? [filesField(filesOfComment)] : []
  return fields.filter(({ isSystem }) => !isSystem)
}

/** The values of an entry, each before and after; of a created record, which has these values, only its files. */
export const ChangedValues = ({ entry, entity, id = null }: ChangesProps): ReactNode => {
  const { entities } = useSession()
  const fields = fieldsOf(entry, entity, entities, useWorkTexts().comments.files)
  const owner = (entry.task_id === null ? undefined : entities.get('task')) ?? entity
  const place = { owner, id, users: entry.users }
  const changes = Object.entries(entry.changes).flatMap(([column, change]) => {
    const field = fields.find((one) => one.column === column)
    const isShown = field && (entry.operation !== 'create' || isFileField(field))
    return isShown ? [{ column, field, ...shownChange(field, change) }] : []
  })
  if (changes.length === 0) return null
  return (
    <ul className="changed-values">
      {changes.map(({ column, field, ...change }) => (
        <li key={column} dir="auto">
          {labelOf(field)}:{' '}
          {isFilled(change.before) && (
            <>
              <del>
                <Value {...place} field={field} value={change.before} />
              </del>{' '}
            </>
          )}
          {!isWithout(change) && (
            <ins>
              <Value {...place} field={field} value={change.after} />
            </ins>
          )}
        </li>
      ))}
    </ul>
  )
}

/** An empty value before a change is not shown. */
const isFilled = (value: unknown): boolean => value !== undefined && value !== null && value !== ''

type Change = HistoryEntry['changes'][string]

/** Of files those that came and those that went, not all that there are; both lists where only their order is another. */
const shownChange = ({ type }: Field, change: Change): Change => {
  if (type !== 'files') return change
  const [before, after] = [filesOf(change.before), filesOf(change.after)]
  const without = (files: typeof before, others: typeof before) =>
    files.filter(({ id }) => others.every((other) => other.id !== id))
  const [removed, added] = [without(before, after), without(after, before)]
  if (removed.length + added.length === 0) return change
  return { ...(removed.length > 0 && { before: removed }), after: added }
}

/** Whether files went and none came: the others are still there. */
const isWithout = ({ before, after }: Change): boolean =>
  isFilled(before) && Array.isArray(after) && after.length === 0

type ValueProps = {
  readonly field: Field
  readonly value: unknown
  readonly owner: Entity
  readonly id: number | null
  readonly users: HistoryEntry['users']
}

const Value = ({ field, value, owner, id, users }: ValueProps): ReactNode => {
  const text = useValueText(value, field, { users }) || '–'
  if (id !== null && kindOf(field).isFiles)
    return <FileNames place={{ entity: owner.key, id }} value={value} />
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
