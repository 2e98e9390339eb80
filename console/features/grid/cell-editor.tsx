/** The editor of a cell: the input of the field, over the cell. */
import {
  type FocusEvent,
  type KeyboardEvent,
  type ReactNode,
  use,
  useEffect,
  useId,
  useRef,
  useState,
} from 'react'
import { useTexts } from '../../texts/texts.ts'
import { valueAt } from '../format/format-value.ts'
import { useReading } from '../session/session.ts'
import { unitAt } from '../values/columns.ts'
import { isBlank, isFaulty, prepareRules } from '../values/entered.ts'
import { FieldInput } from '../values/field-input.tsx'
import { faultyValue } from '../values/refused-value.tsx'
import type { CellEdit, EditedCell } from './cell-edits.ts'
import { focusGrid, OverCell } from './over-cell.tsx'
import { CellsContext, isSame, type Move, type Typed } from './use-cells.ts'
import { useKeptCell } from './use-kept-cells.ts'

type EditorProps = {
  readonly cell: EditedCell
  /** A change of the cell that was refused. */
  readonly edit: CellEdit | undefined
}

/** What a linked record is called in the row. */
const linkedIn = ({ row, listColumn }: EditedCell): string | undefined => {
  const name = listColumn.link ? valueAt(row, listColumn.place) : undefined
  return name === null || name === undefined ? undefined : String(name)
}

/** Where keys lead from an editor; undefined for keys that it leaves to its input. */
const moveOf = ({ key, shiftKey, altKey, ctrlKey, target }: KeyboardEvent): Move | undefined => {
  const isBreak = target instanceof HTMLTextAreaElement && (shiftKey || altKey)
  if (key === 'Enter') return isBreak ? undefined : 'stay'
  if (key !== 'Tab' || ctrlKey || altKey) return undefined
  return shiftKey ? 'previous' : 'next'
}

export const CellEditor = ({ cell, edit }: EditorProps): ReactNode => {
  const texts = useTexts()
  const id = useId()
  const { timeZone } = useReading()
  const { field, listColumn } = cell
  const { typed, setTyped, problem, onKeyDown, onBlur } = useEditor(cell, edit)
  return (
    <OverCell
      className="over-cell cell-editor"
      hasFocus
      onKeyDown={onKeyDown}
      onBlur={onBlur}
      onDoubleClick={(event) => event.stopPropagation()}
    >
      <label htmlFor={id} className="visually-hidden" dir="auto">
        {texts.cells.cell(listColumn.label, cell.name)}
      </label>
      <FieldInput
        id={id}
        field={field}
        timeZone={timeZone}
        value={typed.value}
        linked={typed.linked}
        unit={unitAt(cell.row, listColumn)}
        isInvalid={problem !== undefined}
        describedBy={problem === undefined ? undefined : `${id}-problem`}
        onChange={(value, linked) => setTyped({ value, linked })}
      />
      {problem !== undefined && (
        <p id={`${id}-problem`} role="alert" className="cell-problem">
          {problem}
        </p>
      )}
    </OverCell>
  )
}

const useEditor = (cell: EditedCell, edit: CellEdit | undefined) => {
  const cells = use(CellsContext)
  const [typed, setTyped] = useState<Typed>(() => ({
    value: edit ? edit.mine : cell.base,
    linked: edit ? edit.linked : linkedIn(cell),
  }))
  const [problem, setProblem] = useState<ReactNode>()
  useKeptCell(
    cells?.entity ?? '',
    { ...cell, mine: typed.value, linked: typed.linked },
    !isSame(typed.value, cell.base),
  )
  // The focus that goes back to the list is not a click elsewhere.
  const isDone = useRef(false)
  useEffect(() => {
    // Without them the service decides alone.
    prepareRules([cell.field]).catch(() => undefined)
  }, [cell.field])
  /** What the service would refuse. What was there before is no change. */
  const fault = (): ReactNode => {
    const { field, base } = cell
    const { value } = typed
    const isMissing = isBlank(value) && field.required === true
    return !isSame(value, base) && (isMissing || isFaulty(value, field))
      ? faultyValue(field, value)
      : undefined
  }
  /** Whether it could be saved. */
  const save = (box: Element): boolean => {
    const input = box.querySelector<HTMLInputElement>('input, select, textarea')
    // Half a date would be no date; a text that is no number, or names no record, is not sent.
    const unread = input && !input.validity.valid ? input.validationMessage : undefined
    const found = unread ?? fault()
    setProblem(found)
    if (found === undefined) cells?.save(cell, typed)
    else input?.focus()
    return found === undefined
  }
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    // Keys of an input method, such as one for Japanese, are not for the cell.
    if (event.nativeEvent.isComposing) return
    // What the open list of a combobox takes is not for the cell.
    if (event.target instanceof Element && event.target.ariaExpanded === 'true') return
    const move = moveOf(event)
    if (move === undefined && event.key !== 'Escape') return
    event.preventDefault()
    if (move !== undefined && !save(event.currentTarget)) return
    isDone.current = true
    focusGrid(event.currentTarget)
    cells?.close(move ?? 'stay')
  }
  const onBlur = ({ currentTarget, relatedTarget }: FocusEvent<HTMLElement>) => {
    const isInside = relatedTarget instanceof Node && currentTarget.contains(relatedTarget)
    // The focus comes back with the window.
    if (isInside || isDone.current || !document.hasFocus()) return
    if (save(currentTarget)) cells?.close('stay')
  }
  return { typed, setTyped, problem, onKeyDown, onBlur }
}
