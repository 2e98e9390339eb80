/** A cell that is being changed: the new value at once, the editor over the cell, or why the change was not saved. */
import {
  type ComponentProps,
  type FocusEvent,
  type KeyboardEvent,
  type ReactNode,
  useEffect,
  useEffectEvent,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import { isOutage } from '../../api/availability.ts'
import { ApiProblem } from '../../api/client.ts'
import type { ListRow } from '../../api/rows/rows.ts'
import type { Entity } from '../../api/types.ts'
import { Button } from '../../parts/button.tsx'
import { alertIcon } from '../../parts/icons.tsx'
import { useTexts, useWorkTexts } from '../../texts/texts.ts'
import { useReading, useSession } from '../session/session.ts'
import { choiceCondition } from '../values/choice-condition.ts'
import { type ListColumn, textAt, unitAt } from '../values/columns.ts'
import { isBlank, isFaulty, isSame, prepareRules } from '../values/entered.ts'
import { FieldInput } from '../values/field-input.tsx'
import { OutdatedMark } from '../values/outdated-mark.tsx'
import { faultyValue, refusedValue } from '../values/value-issue.tsx'
import {
  type CellEdit,
  cellKey,
  type EditedCell,
  isRowOutdated,
  linkedIn,
  type NewEdit,
  type Typed,
  withEdit,
} from './cell-edits.tsx'
import type { Cells, Move } from './use-cells.ts'
import './cells.css'
import { forgetDraft, keepDraft } from '../../api/own/drafts.ts'
import { openCellName, printDraft, printEdit } from './cell-drafts.ts'

type ChangedProps = {
  readonly row: ListRow
  readonly column: ListColumn
  readonly cells: Cells
  /** What the cell of a row shows. */
  readonly show: (row: ListRow) => ReactNode
  /** Whether keys work on it. */
  readonly isActive: boolean
  readonly isOpen: boolean
}

export const ChangedCell = (props: ChangedProps): ReactNode => {
  const { row, column, cells, show, isActive, isOpen } = props
  const open = isOpen ? cells.open : undefined
  const edit = cells.edits.get(cellKey(row.id, column))
  const isFailed = edit !== undefined && edit.state.kind !== 'saving'
  const isDecided = open?.isDecision === true
  return (
    <>
      {show(edit && !isFailed ? withEdit(row, edit) : row)}
      {isRowOutdated(cells.edits, row, column) && <OutdatedMark isShort />}
      {isFailed && <span className="cell-failed">{alertIcon}</span>}
      {open && !isDecided && <CellEditor cells={cells} cell={open} edit={edit} />}
      {isFailed && (open ? isDecided : isActive) && (
        <CellNote row={row} edit={edit} cells={cells} hasFocus={isOpen} />
      )}
    </>
  )
}

type BoxProps = ComponentProps<'div'> & {
  /** Whether its first input or button has the focus when it opens. */
  readonly hasFocus: boolean
}

/** A box over a cell, above everything that the list cuts off. */
const OverCell = ({ hasFocus, children, ...rest }: BoxProps): ReactNode => {
  const box = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => box.current?.showPopover(), [])
  useEffect(() => {
    if (!hasFocus) return
    const first = box.current?.querySelector<HTMLElement>('input, select, textarea, button')
    first?.focus()
    if (first instanceof HTMLInputElement) first.select()
  }, [hasFocus])
  return (
    <div ref={box} popover="manual" {...rest}>
      {children}
    </div>
  )
}

/** Gives the focus back to the list that contains an element. */
const focusGrid = (inside: Element): void => inside.closest<HTMLElement>('[role=grid]')?.focus()

type EditorProps = {
  readonly cells: Cells
  readonly cell: EditedCell
  /** A change of the cell that was refused. */
  readonly edit: CellEdit | undefined
}

const CellEditor = (props: EditorProps): ReactNode => {
  const { field, listColumn, name, row } = props.cell
  const texts = useTexts()
  const id = useId()
  const { timeZone } = useReading()
  const { typed, setTyped, problem, onKeyDown, onBlur } = useEditor(props)
  return (
    <OverCell
      className="over-cell cell-editor"
      hasFocus
      onKeyDown={onKeyDown}
      onBlur={onBlur}
      onDoubleClick={(event) => event.stopPropagation()}
    >
      <label htmlFor={id} className="visually-hidden" dir="auto">
        {texts.cells.cell(listColumn.label, name)}
      </label>
      <FieldInput
        id={id}
        field={field}
        timeZone={timeZone}
        value={typed.mine}
        linked={typed.linked}
        choices={choiceCondition(props.cells.entity, field, (column) => row[column])}
        unit={unitAt(row, listColumn)}
        isInvalid={problem !== undefined}
        describedBy={problem === undefined ? undefined : `${id}-problem`}
        onChange={(mine, linked) => setTyped({ mine, linked })}
      />
      {problem !== undefined && (
        <p id={`${id}-problem`} role="alert" className="cell-problem">
          {problem}
        </p>
      )}
    </OverCell>
  )
}

/** Where keys lead from an editor; undefined for keys that it leaves to its input. */
const moveOf = ({ key, shiftKey, altKey, ctrlKey, target }: KeyboardEvent): Move | undefined => {
  const isBreak = target instanceof HTMLTextAreaElement && (shiftKey || altKey)
  if (key === 'Enter') return isBreak ? undefined : 'stay'
  if (key !== 'Tab' || ctrlKey || altKey) return undefined
  return shiftKey ? 'previous' : 'next'
}

/** What the service would refuse of a new value. The value that was there before is no change. */
const faultOf = ({ field, base }: EditedCell, { mine }: Typed): ReactNode => {
  const isMissing = isBlank(mine) && field.required === true
  return !isSame(mine, base) && (isMissing || isFaulty(mine, field))
    ? faultyValue(field, mine)
    : undefined
}

const useEditor = ({ cells, cell, edit }: EditorProps) => {
  const { field, base } = cell
  const [typed, setTyped] = useState<Typed>(() => ({
    mine: edit ? edit.mine : base,
    linked: edit ? edit.linked : linkedIn(cell),
  }))
  const [problem, setProblem] = useState<ReactNode>()
  useKeptCell(cells.entity.key, { ...cell, ...typed }, !cells.isForm && !isSame(typed.mine, base))
  // The focus that goes back to the list is not a click elsewhere.
  const isDone = useRef(false)
  useEffect(() => {
    // Without the rules the service alone decides.
    prepareRules([field]).catch(() => undefined)
  }, [field])
  /** False if the value cannot be saved. */
  const save = (box: Element): boolean => {
    const input = box.querySelector<HTMLInputElement>('input, select, textarea')
    // Half a date, a text that is no number, and one that names no record are not sent.
    const unread = input && !input.validity.valid ? input.validationMessage : undefined
    const fault = unread ?? faultOf(cell, typed)
    setProblem(fault)
    if (fault !== undefined) {
      input?.focus()
      return false
    }
    const change = isSame(typed.mine, base) ? cells.drop : cells.save
    change({ ...cell, ...typed })
    return true
  }
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    // Keys of an input method, such as one for Japanese, are not for the cell.
    if (event.nativeEvent.isComposing) return
    // Nor are those that the open list of a combobox takes.
    if (event.target instanceof Element && event.target.ariaExpanded === 'true') return
    const move = moveOf(event)
    if (move === undefined && event.key !== 'Escape') return
    event.preventDefault()
    if (move !== undefined && !save(event.currentTarget)) return
    isDone.current = true
    focusGrid(event.currentTarget)
    cells.close(cells.isForm && event.key === 'Enter' ? 'below' : (move ?? 'stay'))
  }
  const onBlur = ({ currentTarget, relatedTarget }: FocusEvent<HTMLElement>) => {
    const isInside = relatedTarget instanceof Node && currentTarget.contains(relatedTarget)
    // When the whole window loses the focus, the cell stays open.
    if (isInside || isDone.current || !document.hasFocus()) return
    if (save(currentTarget)) cells.close('stay')
  }
  return { typed, setTyped, problem, onKeyDown, onBlur }
}

type ChoiceProps = {
  readonly row: ListRow
  readonly edit: CellEdit
  readonly cells: Cells
}

/** Says at a cell why its change was not saved, and offers what can be done. */
const CellNote = ({ hasFocus, ...choice }: ChoiceProps & { hasFocus: boolean }): ReactNode => {
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    if (event.key !== 'Escape') return
    focusGrid(event.currentTarget)
    choice.cells.close('stay')
  }
  return (
    <OverCell
      className="over-cell cell-note"
      hasFocus={hasFocus}
      onKeyDown={onKeyDown}
      // A click in it is no click on the cell behind it.
      onPointerDown={(event) => event.stopPropagation()}
      onDoubleClick={(event) => event.stopPropagation()}
    >
      {choice.edit.state.kind === 'conflict' ? <Conflict {...choice} /> : <Unsaved {...choice} />}
    </OverCell>
  )
}

type ReasonProps = { readonly error: Error; readonly edit: CellEdit; readonly entity: Entity }

/** What is wrong with the value, or with the way to the service. */
const Reason = ({ error, edit, entity }: ReasonProps): ReactNode => {
  const { problem } = useTexts()
  const { field, listColumn, mine } = edit
  const issue = refusedValue({ error, field, value: mine, fields: entity.fields })
  if (issue === undefined) return error.message || problem.unreachable
  return (
    <>
      {listColumn.label}: {issue}
    </>
  )
}

/** Whether the same value may be saved later: the service is away, or the session has ended. */
const isAway = (error: Error): boolean =>
  error instanceof ApiProblem && (error.status === 401 || isOutage(error))

/** A change that was refused, or not saved before the page was closed. */
const Unsaved = ({ row, edit, cells }: ChoiceProps): ReactNode => {
  const { cells: texts, common } = useTexts()
  const { drafts } = useWorkTexts()
  const choices = useWorkTexts().changedCell
  const reading = useReading()
  const error = edit.state.kind === 'refused' ? edit.state.error : undefined
  return (
    <>
      <strong>{error ? texts.refused : drafts.restored}</strong>
      {error && (
        <p dir="auto">
          <Reason error={error} edit={edit} entity={cells.entity} />
        </p>
      )}
      <dl>
        <dt>{choices.mine}</dt>
        <dd dir="auto">{textAt(withEdit(row, edit), edit.listColumn, reading) || '–'}</dd>
      </dl>
      <div className="cell-choices">
        <Button
          onClick={({ currentTarget }) => {
            focusGrid(currentTarget)
            cells.drop(edit)
          }}
        >
          {choices.giveUp}
        </Button>
        {!error || isAway(error) ? (
          <Button
            look="primary"
            onClick={({ currentTarget }) => {
              focusGrid(currentTarget)
              cells.save(edit)
            }}
          >
            {error ? common.retry : common.save}
          </Button>
        ) : (
          <Button look="primary" onClick={() => cells.start(edit.place)}>
            {choices.edit}
          </Button>
        )}
      </div>
    </>
  )
}

/** Another user has saved another value: the user decides between the two. */
const Conflict = ({ row, edit, cells }: ChoiceProps): ReactNode => {
  const { cells: texts } = useTexts()
  const choices = useWorkTexts().changedCell
  const reading = useReading()
  const { column, listColumn, state } = edit
  const saved = state.kind === 'conflict' ? state.row : row
  const textOf = (shown: ListRow) => textAt(shown, listColumn, reading) || '–'
  const decide = (inside: Element, act: () => void) => {
    focusGrid(inside)
    cells.close('stay')
    act()
  }
  return (
    <>
      <strong>{texts.conflict}</strong>
      <dl>
        <dt>{choices.theirs}</dt>
        <dd dir="auto">{textOf(saved)}</dd>
        <dt>{choices.mine}</dt>
        <dd dir="auto">{textOf(withEdit(row, edit))}</dd>
      </dl>
      <div className="cell-choices">
        <Button onClick={({ currentTarget }) => decide(currentTarget, () => cells.drop(edit))}>
          {choices.takeTheirs}
        </Button>
        <Button
          look="primary"
          onClick={({ currentTarget }) =>
            decide(currentTarget, () => cells.save({ ...edit, row: saved, base: saved[column] }))
          }
        >
          {choices.keepMine}
        </Button>
      </div>
    </>
  )
}

/** Keeps what is typed into an open cell, until it is closed: then it is saved or taken back. */
const useKeptCell = (key: string, edit: NewEdit, isChanged: boolean): void => {
  const { id } = useSession().me
  const keep = useEffectEvent(() => {
    const name = openCellName(key)
    if (isChanged) void keepDraft(id, name, printDraft([printEdit(edit)]))
    else void forgetDraft(id, name)
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: each value that is typed is kept
  useEffect(() => keep(), [edit.mine, isChanged])
  useEffect(() => () => void forgetDraft(id, openCellName(key)), [id, key])
}
