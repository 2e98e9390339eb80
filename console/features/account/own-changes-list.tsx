/** What the user has changed, newest first, each with its undo or the reason why there is none. */
import { useQueries, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useId, useRef, useState } from 'react'
import { nameOfKey } from '../../../src/definitions/values/rules/key-names.ts'
import { ApiProblem } from '../../api/client.ts'
import { type OwnChange, ownChangesQuery, recordsNowQuery } from '../../api/own/changes.ts'
import { actionsQuery } from '../../api/queries.ts'
import { placeKey } from '../../api/record-names.ts'
import { recordTasksQuery } from '../../api/tasks.ts'
import type { Entity } from '../../api/types.ts'
import { Button } from '../../parts/button.tsx'
import { EmptyNote, ProblemNote, Waiting } from '../../parts/notes.tsx'
import { useTexts, useWorkTexts } from '../../texts/texts.ts'
import { formatMoment } from '../format/format-value.ts'
import { type Change, refreshChanged, undoOf, useUndo } from '../forms/undo.ts'
import { useOperationText } from '../record/notified.tsx'
import { ChangedValues } from '../record/timeline.tsx'
import { useReading, useSession } from '../session/session.ts'
import { useShortcuts } from '../session/shortcuts.ts'
import { ActionDialog } from '../workflow/action-dialog.tsx'

export const OwnChangesList = (): ReactNode => {
  const texts = useWorkTexts().ownChanges
  const { changes, error, isPending, onMore } = useOwnChanges()
  const undo = useUndo()
  const [undone, setUndone] = useState<Change>()
  const [stepBack, setStepBack] = useState<StepBack>()
  const status = useRef<HTMLDivElement>(null)
  const run = (change: Change) => {
    const way = undoOf(change)
    if (way.kind === 'action') setStepBack({ change, action: way.key, etag: way.etag })
    if (way.kind === 'write') {
      setUndone(change)
      undo.mutate(way)
    }
    // The button disappears with the entry.
    status.current?.focus()
  }
  const last = changes.find((change) => undoOf(change).kind === 'write')
  useShortcuts(last ? [{ keys: 'z', label: texts.lastOne, run: () => run(last) }] : [])
  if (error) return <ProblemNote error={error} />
  if (isPending && changes.length === 0) return <Waiting />
  if (changes.length === 0) return <EmptyNote title={texts.empty} />
  return (
    <>
      <div ref={status} role="status" tabIndex={-1} className="own-changes-said">
        {undo.error && <UndoProblem error={undo.error} />}
        {undo.isSuccess && undone && <span dir="auto">{texts.undone(nameOfChange(undone))}</span>}
      </div>
      <ul className="own-changes-list">
        {changes.map((change) => (
          <ChangeItem
            key={change.entry.id}
            change={change}
            isBusy={undo.isPending || isPending}
            onUndo={() => run(change)}
          />
        ))}
      </ul>
      {onMore && <Button onClick={onMore}>{texts.more}</Button>}
      {stepBack && <ActionBack {...stepBack} onClose={() => setStepBack(undefined)} />}
    </>
  )
}

/** Why the service refused an undo: another user has changed the record, a step locks it, or the role may not change it. */
const UndoProblem = ({ error }: { readonly error: Error }): ReactNode => {
  const { reasons } = useWorkTexts().ownChanges
  const known: Readonly<Record<string, string>> = {
    notAllowed: reasons.notAllowed,
    'record.locked': reasons.locked,
    'record.stale': reasons.changedSince,
  }
  const reason = error instanceof ApiProblem ? known[error.code] : undefined
  return <span className="own-changes-problem">{reason ?? error.message}</span>
}

type StepBack = {
  readonly change: Change
  readonly action: string
  readonly etag: string | undefined
}

/** The form of the action that leads back, if it is open to this user. */
const ActionBack = (props: StepBack & { readonly onClose: () => void }): ReactNode => {
  const { change, action: key, etag, onClose } = props
  const { entity, id } = change
  const texts = useWorkTexts().ownChanges
  const client = useQueryClient()
  const { data } = useQuery(actionsQuery(entity.key, id))
  const action = data?.data.find((one) => one.key === key)
  const close = () => {
    onClose()
    void refreshChanged(client, entity.key)
  }
  if (!action) return data ? <p role="alert">{texts.reasons.told}</p> : null
  return (
    <ActionDialog
      entity={entity}
      action={action}
      etag={etag}
      id={id}
      name={nameOfChange(change)}
      onClose={close}
    />
  )
}

/** What the record of an entry is called. */
const nameOfChange = ({ entity, id, row }: Change): string =>
  String(row?.[entity.displayField] ?? `${entity.name} ${id}`)

type ItemProps = {
  readonly change: Change
  readonly isBusy: boolean
  readonly onUndo: () => void
}

/** An entry: its record, what was done, and the changed values. */
const ChangeItem = (props: ItemProps): ReactNode => {
  const { entry, entity, id, row } = props.change
  const heading = useId()
  const reading = useReading()
  const operation = useOperationText(entity)(entry.operation, entry.action)
  const name = nameOfChange(props.change)
  return (
    <li className="own-change" aria-labelledby={heading}>
      <div className="own-change-text">
        <div id={heading} className="own-change-head">
          {row ? (
            <Link to="/$entity/$id" params={{ entity: entity.key, id: `${id}` }} dir="auto">
              {name}
            </Link>
          ) : (
            <strong dir="auto">{name}</strong>
          )}
          <span dir="auto">{operation}</span>
        </div>
        <small>
          <span dir="auto">{entity.name}</span> ·{' '}
          <time dateTime={entry.at}>{formatMoment(entry.at, reading)}</time>
        </small>
        <ChangedValues entry={entry} entity={entity} id={id} />
      </div>
      <UndoButton {...props} name={name} operation={operation} />
    </li>
  )
}

type UndoProps = ItemProps & { readonly name: string; readonly operation: string }

const UndoButton = ({ change, isBusy, onUndo, name, operation }: UndoProps): ReactNode => {
  const texts = useWorkTexts().ownChanges
  const { common } = useTexts()
  const undo = undoOf(change)
  if (undo.kind === 'none')
    return <span className="own-change-reason">{texts.reasons[undo.reason]}</span>
  const label = undo.kind === 'action' ? texts.backBy(actionBackOf(change, undo.key)) : common.undo
  return (
    <Button
      disabled={isBusy}
      aria-label={undo.kind === 'action' ? `${label} ${name}` : texts.undo(operation, name)}
      onClick={onUndo}
    >
      <span dir="auto">{label}</span>
    </Button>
  )
}

/** The name of an action of the step that the entry reached. */
const actionBackOf = ({ entry, entity }: Change, key: string): string => {
  const step = entity.workflow?.steps.find((one) => one.key === entry.action?.to)
  return step?.actions?.find((action) => action.key === key)?.name ?? nameOfKey(key)
}

// What the user has changed, with the current records and tasks, read in few requests.

/** The loaded pages of entries; `onMore` loads one more. */
const usePages = () => {
  const [starts, setStarts] = useState<readonly (number | undefined)[]>([undefined])
  const pages = useQueries({ queries: starts.map((before) => ownChangesQuery(before)) })
  const next = pages.at(-1)?.data?.next
  return {
    entries: pages.flatMap(({ data }) => data?.data ?? []),
    error: pages.find(({ error }) => error)?.error ?? null,
    isPending: pages.some(({ isPending }) => isPending),
    onMore: typeof next === 'number' ? () => setStarts([...starts, next]) : undefined,
  }
}

/** The columns that the entries of an entity have changed, as far as the user may see them. */
const columnsOf = ({ fields, workflow }: Entity, entries: readonly OwnChange[]) => {
  const changed = new Set(entries.flatMap(({ changes }) => Object.keys(changes)))
  const columns = fields.flatMap(({ column }) =>
    column !== null && changed.has(column) ? [column] : [],
  )
  return workflow && fields.some(({ column }) => column === '_step')
    ? [...columns, '_step']
    : columns
}

/** The current records of the entries, by place. */
const useCurrentRecords = (entries: readonly OwnChange[]) => {
  const { entities } = useSession()
  const groups = [...Map.groupBy(entries, ({ entity }) => entity)].flatMap(([key, all]) => {
    const entity = entities.get(key)
    const ids = [...new Set(all.map((one) => one.entity_id))]
    return entity && entity.permissions.read !== false
      ? [recordsNowQuery(entity, ids, columnsOf(entity, all))]
      : []
  })
  return useQueries({
    queries: groups,
    combine: (results) => ({
      isPending: results.some(({ isPending }) => isPending),
      rows: new Map(
        results.flatMap(({ data }, at) =>
          [...(data ?? [])].map(
            ([id, row]) =>
              [placeKey({ entity: String(groups[at]?.queryKey[2]), id }), row] as const,
          ),
        ),
      ),
    }),
  })
}

/** The current tasks of the entries by id, where the role may see all tasks of their records. */
const useCurrentTasks = (entries: readonly OwnChange[]) => {
  const { entities } = useSession()
  const ofTasks = entries.filter(
    ({ task_id, entity }) => task_id !== null && entities.get(entity)?.permissions.tasks === true,
  )
  const places = new Map(
    ofTasks.map(({ entity, entity_id: id }) => [placeKey({ entity, id }), { entity, id }]),
  )
  return useQueries({
    queries: [...places.values()].map((place) => recordTasksQuery(place)),
    combine: (results) => ({
      isPending: results.some(({ isPending }) => isPending),
      tasks: new Map(results.flatMap(({ data = [] }) => data.map((task) => [task.id, task]))),
    }),
  })
}

const useOwnChanges = () => {
  const { entities } = useSession()
  const { entries, ...pages } = usePages()
  const records = useCurrentRecords(entries)
  const { tasks, ...ofTasks } = useCurrentTasks(entries)
  const changes = entries.flatMap((entry): Change[] => {
    const { entity_id: id, task_id: taskId } = entry
    const entity = entities.get(entry.entity)
    const row = records.rows.get(placeKey({ entity: entry.entity, id }))
    const task = taskId === null ? undefined : tasks.get(taskId)
    const etag = row && `"${String(row._version)}"`
    return entity ? [{ entry, entity, id, row, etag, task }] : []
  })
  const isPending = pages.isPending || records.isPending || ofTasks.isPending
  return { ...pages, changes, isPending }
}
