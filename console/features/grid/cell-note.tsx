/** Says at a cell why its change was not saved, and what can be done. */
import { type KeyboardEvent, type ReactNode, use } from 'react'
import { isOutage } from '../../api/availability.ts'
import { ApiProblem } from '../../api/client.ts'
import type { ListRow } from '../../api/rows/rows.ts'
import { Button } from '../../parts/button.tsx'
import { useChangedCellTexts } from '../../texts/changed-cell/texts.ts'
import { useTexts } from '../../texts/texts.ts'
import { useReading, useSession } from '../session/session.ts'
import { type ListColumn, textAt } from '../values/columns.ts'
import { refusedValue } from '../values/refused-value.tsx'
import { type CellEdit, withEdit } from './cell-edits.ts'
import { focusGrid, OverCell } from './over-cell.tsx'
import { CellsContext } from './use-cells.ts'

type NoteProps = {
  readonly row: ListRow
  readonly column: ListColumn
  readonly edit: CellEdit
  readonly hasFocus: boolean
}

export const CellNote = (props: NoteProps): ReactNode => {
  const cells = use(CellsContext)
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    if (event.key !== 'Escape') return
    focusGrid(event.currentTarget)
    cells?.close('stay')
  }
  return (
    <OverCell
      className="over-cell cell-note"
      hasFocus={props.hasFocus}
      onKeyDown={onKeyDown}
      // Choosing something in it does not choose the cell behind it.
      onPointerDown={(event) => event.stopPropagation()}
      onDoubleClick={(event) => event.stopPropagation()}
    >
      {props.edit.state.kind === 'conflict' ? <Conflict {...props} /> : <Unsaved {...props} />}
    </OverCell>
  )
}

/** What is wrong with the value, or with the way to the service. */
const Reason = ({ edit }: { readonly edit: CellEdit }): ReactNode => {
  const { problem } = useTexts()
  const { entities } = useSession()
  const fields = entities.get(use(CellsContext)?.entity ?? '')?.fields ?? []
  const { state, field, listColumn, mine } = edit
  if (state.kind !== 'refused') return problem.unreachable
  const issue = refusedValue({ error: state.error, field, value: mine, fields })
  if (issue === undefined) return state.error.message || problem.unreachable
  return (
    <>
      {listColumn.label}: {issue}
    </>
  )
}

/** Whether the same may be saved later. */
const isLater = ({ state }: CellEdit): boolean =>
  state.kind === 'kept' || (state.kind === 'refused' && isAway(state.error))

const isAway = (error: Error): boolean =>
  error instanceof ApiProblem && (error.status === 401 || isOutage(error))

/** A change that was refused, or not saved before the page was closed. */
const Unsaved = ({ row, column, edit }: NoteProps): ReactNode => {
  const cells = use(CellsContext)
  const { cells: texts, common, drafts } = useTexts()
  const choices = useChangedCellTexts()
  const reading = useReading()
  const mine = textAt(withEdit(row, edit), column, reading)
  const isKept = edit.state.kind === 'kept'
  const giveUp = (inside: Element) => {
    focusGrid(inside)
    cells?.decide(edit, false)
  }
  const sendAgain = (inside: Element) => {
    focusGrid(inside)
    cells?.save(edit, { value: edit.mine, linked: edit.linked })
  }
  return (
    <>
      <strong>{isKept ? drafts.restored : texts.refused}</strong>
      {!isKept && (
        <p dir="auto">
          <Reason edit={edit} />
        </p>
      )}
      <dl>
        <dt>{choices.mine}</dt>
        <dd dir="auto">{mine || '–'}</dd>
      </dl>
      <div className="cell-choices">
        <Button onClick={({ currentTarget }) => giveUp(currentTarget)}>{choices.giveUp}</Button>
        {isLater(edit) ? (
          <Button look="primary" onClick={({ currentTarget }) => sendAgain(currentTarget)}>
            {isKept ? common.save : common.retry}
          </Button>
        ) : (
          <Button look="primary" onClick={() => cells?.start(edit.place)}>
            {choices.edit}
          </Button>
        )}
      </div>
    </>
  )
}

const Conflict = ({ row, column, edit }: NoteProps): ReactNode => {
  const cells = use(CellsContext)
  const { cells: texts } = useTexts()
  const choices = useChangedCellTexts()
  const reading = useReading()
  const textOf = (of: ListRow) => textAt(of, column, reading)
  const decide = (inside: Element, isMine: boolean) => {
    focusGrid(inside)
    cells?.close('stay')
    cells?.decide(edit, isMine)
  }
  const saved = edit.state.kind === 'conflict' ? edit.state.row : row
  return (
    <>
      <strong>{texts.conflict}</strong>
      <dl>
        <dt>{choices.theirs}</dt>
        <dd dir="auto">{textOf(saved) || '–'}</dd>
        <dt>{choices.mine}</dt>
        <dd dir="auto">{textOf(withEdit(row, edit)) || '–'}</dd>
      </dl>
      <div className="cell-choices">
        <Button onClick={({ currentTarget }) => decide(currentTarget, false)}>
          {choices.takeTheirs}
        </Button>
        <Button look="primary" onClick={({ currentTarget }) => decide(currentTarget, true)}>
          {choices.keepMine}
        </Button>
      </div>
    </>
  )
}
