/** What the user has changed, newest first, each with its undo or the reason why there is none. */

import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useId, useRef, useState } from 'react'
import { ApiProblem } from '../../api/client.ts'
import { actionsQuery } from '../../api/queries.ts'
import { Button } from '../../parts/button.tsx'
import { EmptyNote, ProblemNote, Waiting } from '../../parts/notes.tsx'
import { useTexts, useWorkTexts } from '../../texts/texts.ts'
import { formatMoment, nameOfKey } from '../format/format-value.ts'
import { type Change, refreshChanged, undoOf, useUndo } from '../forms/undo.ts'
import { useOperationText } from '../record/notified.tsx'
import { ChangedValues } from '../record/timeline.tsx'
import { useReading } from '../session/session.ts'
import { useShortcuts } from '../session/shortcuts.ts'
import { ActionDialog } from '../workflow/action-dialog.tsx'
import { useOwnChanges } from './use-own-changes.ts'

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
        <ChangedValues entry={entry} entity={entity} />
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
