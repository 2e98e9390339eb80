/** What is done with the cells of a list besides reading and editing them: ranges of them are copied, and a row is found by its number. */
import {
  type ReactNode,
  useEffect,
  useEffectEvent,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import { Button } from '../../parts/button.tsx'
import { Dialog, DialogActions } from '../../parts/dialog.tsx'
import { useWorkTexts } from '../../texts/texts.ts'
import { headRow, type Place } from '../grid/grid-props.ts'
import { useReading } from '../session/session.ts'
import { useShortcuts } from '../session/shortcuts.ts'
import { type PastedList, takesPaste } from './pasted-list.ts'
import { PastedRows } from './pasted-rows.tsx'
import { copiedText, printTable } from './table-text.ts'
import { type CellRange, cornersOf, isWithin, placeAfter } from './use-line-keys.ts'
import './lines.css'

type ListProps = PastedList & {
  readonly count: number
  readonly active: Place
  readonly onActive: (place: Place) => void
}

export const ListKeys = (props: ListProps): ReactNode => (
  <>
    <GoToRow {...props} />
    <CopiedCells {...props} />
    {takesPaste(props.entity) && <PastedCells {...props} />}
  </>
)

/** Ctrl+G asks for the number of a row and makes it active. */
const GoToRow = ({ count, active, onActive }: ListProps): ReactNode => {
  const { goToRow } = useWorkTexts().changedCell
  const [isOpen, setIsOpen] = useState(false)
  const run = () => {
    // The browser gives the focus back to where it was before the dialog.
    document.querySelector<HTMLElement>('[role=grid]')?.focus()
    setIsOpen(true)
  }
  useShortcuts([{ keys: 'Ctrl+g', label: goToRow, run }])
  if (!isOpen) return null
  return (
    <RowDialog
      count={count}
      row={active.row}
      onRow={(row) => onActive({ ...active, row })}
      onClose={() => setIsOpen(false)}
    />
  )
}

/** A range that is pasted on the active cell is shown as it will be, before any of it is saved; a list without rows takes it as new ones. */
const PastedCells = (props: ListProps): ReactNode => {
  const { active, count, entity } = props
  const { keys, pasteHere } = useWorkTexts().lines
  const mark = useRef<HTMLSpanElement>(null)
  const [pasted, setPasted] = useState<{ readonly text: string; readonly place: Place }>()
  useShortcuts([{ keys: 'Ctrl+v', label: keys.paste }])
  const takesNew = count === 0 && entity.permissions.create
  const onPaste = useEffectEvent((event: ClipboardEvent) => {
    const text = event.clipboardData?.getData('text/plain') ?? ''
    const place = takesNew ? firstOfEmpty(event) : placeInGrid(event, active)
    if (!place || text === '') return
    event.preventDefault()
    setPasted({ text, place })
  })
  useEffect(() => {
    const ended = new AbortController()
    const grid = gridBeside(mark.current) ?? document.body
    grid.addEventListener('paste', (event) => onPaste(event), { signal: ended.signal })
    return () => ended.abort()
  }, [])
  return (
    <>
      <span ref={mark} hidden />
      {takesNew && <p className="note">{pasteHere}</p>}
      {pasted && <PastedRows {...props} {...pasted} onClose={() => setPasted(undefined)} />}
    </>
  )
}

const placeInGrid = ({ target, currentTarget: grid }: Event, active: Place): Place | undefined =>
  target === grid && active.row !== headRow ? (firstPicked(grid as Element) ?? active) : undefined

/** Nothing has the focus in it, so it is pasted anywhere on the page but into what takes texts by itself. */
const firstOfEmpty = ({ target }: Event): Place | undefined =>
  target instanceof Element && target.closest('input, textarea, dialog, [contenteditable]')
    ? undefined
    : { row: 0, column: 0 }

/** The first cell of the selected range. */
const firstPicked = (grid: Element): Place | undefined => {
  const cell = grid.querySelector('[data-picked]')
  return cell ? placeIn(cell.id) : undefined
}

const placeIn = (id: string): Place | undefined => {
  const [, row, column] = /-(\d+)-(\d+)$/.exec(id) ?? []
  return row === undefined ? undefined : { row: Number(row), column: Number(column) }
}

const placeOf = ({ target }: Event): Place | undefined => {
  const cell = target instanceof Element ? target.closest('[role=gridcell][id]') : null
  return placeIn(cell?.id ?? '')
}

const gridBeside = (mark: Element | null) =>
  mark?.parentElement?.querySelector<HTMLElement>('[role=grid]')

const cellsOf = (grid: Element) => grid.querySelectorAll<HTMLElement>('[role=gridcell][id]')

/** The range of cells of a list, which begins sideways: up and down alone, Shift selects records. */
const CopiedCells = (props: ListProps): ReactNode => {
  const { active } = props
  const mark = useRef<HTMLSpanElement>(null)
  const [anchor, setAnchor] = useState<Place>()
  const range: CellRange = { from: anchor ?? active, to: active }
  useLayoutEffect(() => {
    const grid = gridBeside(mark.current)
    if (!grid) return
    for (const cell of cellsOf(grid)) {
      const [, row, column] = /-(\d+)-(\d+)$/.exec(cell.id) ?? []
      const isPicked =
        anchor !== undefined && isWithin(range, { row: Number(row), column: Number(column) })
      cell.toggleAttribute('data-picked', isPicked)
    }
  })
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    const { key, shiftKey, ctrlKey, metaKey, altKey, currentTarget: grid } = event
    if (event.target !== grid || active.row === headRow || altKey) return
    const isSideways = key === 'ArrowLeft' || key === 'ArrowRight'
    const isUpOrDown = key === 'ArrowUp' || key === 'ArrowDown'
    const isMirrored = getComputedStyle(grid as Element).direction === 'rtl'
    const size = { rows: props.count, columns: props.columns.length, isMirrored }
    const next = placeAfter(event, active, size)
    const isExtended = shiftKey && !ctrlKey && !metaKey && (isSideways || (anchor && isUpOrDown))
    if (next && isExtended) {
      event.preventDefault()
      event.stopPropagation()
      setAnchor(anchor ?? active)
      props.onActive(next)
    } else if (next || key === 'Escape') setAnchor(undefined)
  })
  const onDown = useEffectEvent((event: PointerEvent): Place | undefined => {
    const place = event.button === 0 && event.pointerType === 'mouse' ? placeOf(event) : undefined
    setAnchor(place && event.shiftKey ? (anchor ?? active) : undefined)
    return place
  })
  const onMove = useEffectEvent((begun: Place, place: Place) => {
    if (place.row === active.row && place.column === active.column) return
    setAnchor(begun)
    props.onActive(place)
  })
  const reading = useReading()
  const onCopy = useEffectEvent((event: ClipboardEvent) => {
    const { firstRow, lastRow, firstColumn, lastColumn } = cornersOf(range)
    const isText = document.getSelection()?.isCollapsed === false
    if (event.target !== event.currentTarget || active.row === headRow || isText) return
    const columns = props.columns.slice(firstColumn, lastColumn + 1)
    const indexes = Array.from({ length: lastRow - firstRow + 1 }, (_, at) => firstRow + at)
    const rows = indexes.flatMap((index) => props.rowAt(index) ?? [])
    // A part would look like the whole.
    if (rows.length < indexes.length) return
    event.preventDefault()
    const table = rows.map((row) =>
      columns.map((column) => copiedText(row, column, { reading, entity: props.entity })),
    )
    event.clipboardData?.setData('text/plain', printTable(table))
  })
  useEffect(() => {
    const grid = gridBeside(mark.current)
    if (!grid) return
    const ended = new AbortController()
    const { signal } = ended
    let begun: Place | undefined
    grid.addEventListener('keydown', (event) => onKey(event), { signal, capture: true })
    grid.addEventListener('copy', (event) => onCopy(event), { signal })
    grid.addEventListener('pointerdown', (event) => (begun = onDown(event)), { signal })
    grid.addEventListener(
      'pointermove',
      (event) => {
        const place = begun && event.buttons === 1 ? placeOf(event) : undefined
        if (!begun || !place) return
        // The text below the pointer would be selected, too.
        if (place.row !== begun.row || place.column !== begun.column)
          document.getSelection()?.removeAllRanges()
        onMove(begun, place)
      },
      { signal },
    )
    return () => ended.abort()
  }, [])
  return <span ref={mark} hidden />
}

// Asks for the number of a row.

type DialogProps = {
  readonly count: number
  readonly row: number
  readonly onRow: (row: number) => void
  readonly onClose: () => void
}

const RowDialog = ({ count, row, onRow, onClose }: DialogProps): ReactNode => {
  const texts = useWorkTexts().changedCell
  const id = useId()
  return (
    <Dialog title={texts.goToRow} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          onRow(Number(new FormData(event.currentTarget).get('row')) - 1)
          // The browser gives the focus back when it closes the dialog.
          event.currentTarget.closest('dialog')?.close()
        }}
      >
        <label htmlFor={id}>{texts.rowOf(count)}</label>
        <input
          id={id}
          name="row"
          type="number"
          className="field-input"
          required
          min={1}
          max={count}
          defaultValue={row + 1}
          onFocus={({ target }) => target.select()}
        />
        <DialogActions onCancel={onClose}>
          <Button type="submit" look="primary">
            {texts.go}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}
