/** The selection of a grid: what it can do, its keys, and its checkboxes. */
import {
  type KeyboardEvent,
  type MouseEvent,
  type ReactNode,
  useCallback,
  useEffect,
  useRef,
} from 'react'
import type { ListRow } from '../../api/rows/rows.ts'
import type { RecordRow } from '../../api/types.ts'
import { useTexts } from '../../texts/texts.ts'

export type GridSelection = {
  readonly isSelected: (row: RecordRow) => boolean
  /** Why something could not be done with a selected record. */
  readonly noteOf: (row: RecordRow) => string | undefined
  readonly isEmpty: boolean
  /** Whether every record that matches is selected. */
  readonly isAll: boolean
  readonly onToggle: (index: number, row: RecordRow) => void
  /** Selects the rows from the one that was chosen last to this one. */
  readonly onRange: (index: number) => void
  /** Selects the rows between the two, extending the range that ends at `from`. */
  readonly onExtend: (from: number, to: number) => void
  readonly onAll: () => void
  readonly onClear: () => void
}

type Place = { readonly index: number; readonly row: RecordRow | undefined }
type Act = (selection: GridSelection, place: Place) => void

const toggle: Act = ({ onToggle }, { index, row }) => row && onToggle(index, row)
const range: Act = ({ onRange }, { index }) => onRange(index)

const acts: Readonly<Record<string, Act>> = {
  ' ': toggle,
  x: toggle,
  'Shift+ ': range,
  'Shift+x': range,
  'Ctrl+a': ({ onAll }) => onAll(),
  Escape: ({ onClear }) => onClear(),
}

/** Does what a key does with the selection; false if it does nothing. Single letters may be switched off. */
export const selectByKey = (
  event: KeyboardEvent,
  selection: GridSelection,
  place: Place,
  hasLetters: boolean,
): boolean => {
  const { key, ctrlKey, metaKey, shiftKey, altKey } = event
  const name = key.length === 1 ? key.toLowerCase() : key
  const act = acts[`${ctrlKey || metaKey ? 'Ctrl+' : ''}${shiftKey ? 'Shift+' : ''}${name}`]
  const isLetter = name === 'x' && !ctrlKey && !metaKey
  if (!act || altKey || (isLetter && !hasLetters) || (key === 'Escape' && selection.isEmpty))
    return false
  event.preventDefault()
  act(selection, place)
  return true
}

type Select = (index: number, row: ListRow, isRange: boolean) => void

/** Selects a row by its checkbox. The function stays the same, so that rows are not rendered again when others are selected. */
export const useSelect = (selection: GridSelection): Select => {
  const latest = useRef(selection)
  useEffect(() => {
    latest.current = selection
  }, [selection])
  return useCallback((index, row, isRange) => {
    if (isRange) latest.current.onRange(index)
    else latest.current.onToggle(index, row)
  }, [])
}

/** The keys of a grid are those of the grid itself, so a click on a checkbox leaves the focus there. */
const keepFocus = (event: MouseEvent) => {
  event.preventDefault()
  event.currentTarget.closest<HTMLElement>('[role=grid]')?.focus()
}

type CheckboxProps = {
  readonly label: string
  /** Its text, outside of a grid; there the Tab key reaches it. */
  readonly text?: string | undefined
  readonly note?: string | undefined
  readonly isChecked: boolean
  readonly isMixed?: boolean
  readonly isDisabled?: boolean
  readonly onChange: (isRange: boolean) => void
}

export const Checkbox = ({
  label,
  text,
  note,
  isChecked,
  isMixed = false,
  isDisabled = false,
  onChange,
}: CheckboxProps): ReactNode => (
  // A click need not hit the box exactly; the keys are those of the grid.
  <label
    className="grid-check"
    title={note ?? label}
    data-note={note === undefined ? undefined : ''}
    onMouseDown={text === undefined ? keepFocus : undefined}
  >
    <input
      type="checkbox"
      tabIndex={text === undefined ? -1 : 0}
      aria-label={label}
      aria-description={note}
      checked={isChecked}
      disabled={isDisabled}
      ref={(input) => {
        if (input) input.indeterminate = isMixed
      }}
      onChange={({ nativeEvent }) =>
        onChange(nativeEvent instanceof globalThis.MouseEvent && nativeEvent.shiftKey)
      }
    />
    {text}
  </label>
)

type AllProps = { readonly selection: GridSelection; readonly text?: string }

/** Selects all that match, or none. With a text, it selects all before it clears the selection. */
export const SelectAllBox = ({ selection, text }: AllProps): ReactNode => {
  const texts = useTexts()
  const { isAll, isEmpty, onAll, onClear } = selection
  const selects = text === undefined ? isEmpty : !isAll
  return (
    <Checkbox
      text={text}
      label={isEmpty || text !== undefined ? texts.selection.selectAll : texts.selection.clear}
      isChecked={isAll}
      isMixed={!isAll && !isEmpty}
      onChange={selects ? onAll : onClear}
    />
  )
}
