/** Something that the user did, with the way back, or why there is none. */
import { Link } from '@tanstack/react-router'
import { type ReactNode, useId } from 'react'
import { Button } from '../../parts/button.tsx'
import { useOwnChangesTexts } from '../../texts/own-changes/texts.ts'
import { useRecordPageTexts } from '../../texts/record-page/texts.ts'
import { useTexts } from '../../texts/texts.ts'
import { formatMoment, nameOfKey } from '../format/format-value.ts'
import { ChangedValues } from '../record/changed-values.tsx'
import { useReading } from '../session/session.ts'
import { type Known, undoOf } from './undo-of.ts'

type ItemProps = {
  readonly known: Known
  readonly isBusy: boolean
  readonly onUndo: () => void
}

/** What the record of an entry is called. */
export const nameOfChange = ({ change, entity, row }: Known): string =>
  String(row?.[entity.displayField] ?? `${entity.name} ${change.entity_id}`)

/** What was done, in a few words. */
const useDoing = () => {
  const recordPage = useRecordPageTexts()
  return ({ change, entity }: Known): string => {
    const { action, operation } = change
    if (!action) return recordPage.operations[operation] ?? operation
    const stepName = (key: string) =>
      entity.workflow?.steps.find((step) => step.key === key)?.name ?? key
    return `${stepName(action.from)} → ${stepName(action.to)}`
  }
}

export const ChangeItem = (props: ItemProps): ReactNode => {
  const { change, entity, row } = props.known
  const heading = useId()
  const reading = useReading()
  const doing = useDoing()(props.known)
  const name = nameOfChange(props.known)
  return (
    <li className="own-change" aria-labelledby={heading}>
      <div className="own-change-text">
        <div id={heading} className="own-change-head">
          {row ? (
            <Link
              to="/$entity/$id"
              params={{ entity: change.entity, id: `${change.entity_id}` }}
              dir="auto"
            >
              {name}
            </Link>
          ) : (
            <strong dir="auto">{name}</strong>
          )}
          <span dir="auto">{doing}</span>
        </div>
        <small>
          <span dir="auto">{entity.name}</span> ·{' '}
          <time dateTime={change.at}>{formatMoment(change.at, reading)}</time>
        </small>
        <ChangedValues entry={change} entity={entity} />
      </div>
      <Way {...props} name={name} doing={doing} />
    </li>
  )
}

type WayProps = ItemProps & { readonly name: string; readonly doing: string }

const Way = ({ known, isBusy, onUndo, name, doing }: WayProps): ReactNode => {
  const texts = useOwnChangesTexts()
  const { common } = useTexts()
  const undo = undoOf(known)
  if (undo.kind === 'none')
    return <span className="own-change-reason">{texts.reasons[undo.reason]}</span>
  const face = undo.kind === 'action' ? texts.backBy(actionNameOf(known, undo.key)) : common.undo
  return (
    <Button
      disabled={isBusy}
      aria-label={undo.kind === 'action' ? `${face} ${name}` : texts.undo(doing, name)}
      onClick={onUndo}
    >
      <span dir="auto">{face}</span>
    </Button>
  )
}

/** What the definition calls an action of the step in which the record is. */
const actionNameOf = ({ change, entity }: Known, key: string): string => {
  const step = entity.workflow?.steps.find((one) => one.key === change.action?.to)
  return step?.actions?.find((action) => action.key === key)?.name ?? nameOfKey(key)
}
