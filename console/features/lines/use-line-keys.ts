/** What keys do in a table of lines: where they lead, and the range of cells that they select and empty. */
import type { KeyboardEvent } from 'react'
import { useTexts, useWorkTexts } from '../../texts/texts.ts'
import { stepsOf } from '../grid/grid-keys.ts'
import type { Place } from '../grid/grid-props.ts'
import { useShortcuts } from '../session/shortcuts.ts'
import type { Lines } from './use-lines.ts'

/** A range of cells between two corners: the active cell, and where the selection began. */
export type CellRange = { readonly from: Place; readonly to: Place }

const sorted = (one: number, other: number) => [Math.min(one, other), Math.max(one, other)] as const

/** Its first and last rows and columns. */
export const cornersOf = ({ from, to }: CellRange) => {
  const [firstRow, lastRow] = sorted(from.row, to.row)
  const [firstColumn, lastColumn] = sorted(from.column, to.column)
  return { firstRow, lastRow, firstColumn, lastColumn }
}

export const isWithin = (range: CellRange, { row, column }: Place): boolean => {
  const { firstRow, lastRow, firstColumn, lastColumn } = cornersOf(range)
  return row >= firstRow && row <= lastRow && column >= firstColumn && column <= lastColumn
}

const steps = stepsOf(15)

const within = (value: number, size: number): number => Math.max(0, Math.min(value, size - 1))

/** The place that a key leads to; undefined for other keys. Arrows point as they do in the page. */
export const placeAfter = (
  { key, ctrlKey, metaKey, altKey }: Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey'>,
  { row, column }: Place,
  size: { readonly rows: number; readonly columns: number; readonly isMirrored: boolean },
): Place | undefined => {
  const step = altKey ? undefined : steps[`${ctrlKey || metaKey ? 'Ctrl+' : ''}${key}`]
  if (!step) return undefined
  const isSideways = key === 'ArrowLeft' || key === 'ArrowRight'
  const columns = size.isMirrored && isSideways ? -step.column : step.column
  return { row: within(row + step.row, size.rows), column: within(column + columns, size.columns) }
}

type Moving = {
  readonly columns: number
  readonly range: CellRange
  readonly go: (place: Place, isExtended?: boolean) => void
}

// Opens the editor of a cell, which then gets the character.
const isCharacter = ({ key, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean =>
  key.length === 1 && key !== ' ' && !ctrlKey && !metaKey && !altKey

/** Empties the cells of a range. */
const clear = (lines: Lines, range: CellRange): void => {
  const { firstRow, lastRow, firstColumn, lastColumn } = cornersOf(range)
  const written = []
  for (let row = firstRow; row <= lastRow; row++)
    for (let column = firstColumn; column <= lastColumn; column++) {
      const found = lines.fieldAt({ row, column })
      if (found)
        written.push({ row: found.at, column: found.column, value: null, linked: undefined })
    }
  lines.write(written)
}

// Opens the record of the line, or the linked one.
const activeLink = () => document.querySelector<HTMLElement>('.lines-grid [data-active] a')

type Act = (lines: Lines, range: CellRange) => void

const start: Act = ({ cells, active }) => cells.start(active)

const acts: ReadonlyMap<string, Act> = new Map([
  ['Enter', start],
  ['F2', start],
  ['Insert', ({ add }) => add?.()],
  ['Ctrl+Enter', () => activeLink()?.click()],
  ['Delete', clear],
  ['Ctrl+Delete', ({ toggle, active }) => toggle(active)],
  ['Alt+ArrowUp', ({ move, active }) => move(active, -1)],
  ['Alt+ArrowDown', ({ move, active }) => move(active, 1)],
])

/** Moves the active cell, extends the selection, and acts on them. */
export const onLineKey = (
  event: KeyboardEvent<HTMLElement>,
  lines: Lines,
  { columns, range, go }: Moving,
): void => {
  const { active, rows } = lines
  if (event.target !== event.currentTarget) return
  const { key, ctrlKey, metaKey, altKey, shiftKey } = event
  const act = acts.get(`${ctrlKey || metaKey ? 'Ctrl+' : ''}${altKey ? 'Alt+' : ''}${key}`)
  if (act) {
    event.preventDefault()
    event.stopPropagation()
    act(lines, range)
    return
  }
  if (isCharacter(event)) {
    // No key of the page, such as `z`.
    event.stopPropagation()
    lines.cells.start(active)
    return
  }
  const isMirrored = getComputedStyle(event.currentTarget).direction === 'rtl'
  const next = placeAfter(event, active, { rows: rows.length, columns, isMirrored })
  if (!next) return
  event.preventDefault()
  go(next, shiftKey)
}

/** Names the keys in the help of the page; the grid itself handles them. */
export const useLineKeys = (): void => {
  const { cells } = useTexts()
  const { keys, add } = useWorkTexts().lines
  useShortcuts([
    { keys: 'Enter', label: cells.shortcut },
    { keys: 'Insert', label: add },
    { keys: 'Ctrl+Delete', label: keys.remove },
    { keys: 'Alt+ArrowUp', label: keys.move },
    { keys: 'Ctrl+v', label: keys.paste },
  ])
}
