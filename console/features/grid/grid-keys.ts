/** What keys do in a grid: they move the active cell, which may be a head of a column too, and act on it (WAI-ARIA grid). */
import { useRouter } from '@tanstack/react-router'
import { type KeyboardEvent, useCallback, useState } from 'react'
import type { ListColumn } from '../values/columns.ts'
import {
  cellId,
  firstPlace,
  type GridHeads,
  type GridProps,
  headRow,
  type Place,
} from './grid-props.ts'
import { selectByKey } from './grid-selection.tsx'
import type { ListSearch } from './list-state.ts'

type Size = { readonly rows: number; readonly columns: number; readonly hasHeads: boolean }

type Keys = {
  readonly key: string
  readonly shiftKey: boolean
  readonly ctrlKey: boolean
  readonly altKey: boolean
  readonly metaKey: boolean
}

const all = Number.MAX_SAFE_INTEGER / 2

/** How far keys lead, in a table of which so many rows are a page. */
export const stepsOf = (pageRows: number): Readonly<Record<string, Place>> => ({
  ArrowDown: { row: 1, column: 0 },
  ArrowUp: { row: -1, column: 0 },
  ArrowRight: { row: 0, column: 1 },
  ArrowLeft: { row: 0, column: -1 },
  PageDown: { row: pageRows, column: 0 },
  PageUp: { row: -pageRows, column: 0 },
  Home: { row: 0, column: -all },
  End: { row: 0, column: all },
  'Ctrl+Home': { row: -all, column: -all },
  'Ctrl+End': { row: all, column: all, isEnd: true },
})
const steps = stepsOf(20)

const within = (value: number, least: number, size: number): number =>
  Math.max(least, Math.min(value, size - 1))

/** The place that a key leads to; undefined for keys that move nothing. */
const movedBy = (keys: Keys, place: Place, size: Size): Place | undefined => {
  if (keys.altKey || keys.metaKey || size.rows === 0) return undefined
  const step = steps[`${keys.ctrlKey ? 'Ctrl+' : ''}${keys.key}`]
  if (!step) return undefined
  // Only a single step up leads to the heads, and steps sideways stay there.
  const isUp = step.row === 0 ? place.row === headRow : step.row === -1 && !keys.shiftKey
  return {
    row: within(place.row + step.row, isUp && size.hasHeads ? headRow : 0, size.rows),
    column: within(place.column + step.column, 0, size.columns),
    ...(step.isEnd && { isEnd: true }),
  }
}

/** The keys that are pressed, with the arrows as they point in a page from left to right. */
const keysOf = (event: KeyboardEvent): Keys => {
  const { ctrlKey, altKey, metaKey, shiftKey, key, currentTarget } = event
  const isMirrored = getComputedStyle(currentTarget).direction === 'rtl'
  return { ctrlKey, altKey, metaKey, shiftKey, key: (isMirrored && mirrored[key]) || key }
}

const mirrored: Readonly<Record<string, string>> = {
  ArrowLeft: 'ArrowRight',
  ArrowRight: 'ArrowLeft',
}

/** Whether keys ask for a menu. */
const asksForMenu = ({ key, shiftKey, altKey }: Keys): boolean =>
  key === 'ContextMenu' || (key === 'F10' && shiftKey) || (key === 'ArrowDown' && altKey)

/** Returns the index of the column afterwards. */
type HeadAct = (heads: GridHeads, column: ListColumn, at: number, grid: Element) => number

const sort =
  (isAdded: boolean): HeadAct =>
  ({ onSort }, column, at) => {
    onSort(column, isAdded)
    return at
  }

const widen =
  (steps: 1 | -1): HeadAct =>
  ({ act }, _column, at, grid) => {
    act((acts) => acts.widen(grid, at, steps))
    return at
  }

const move =
  (by: 1 | -1): HeadAct =>
  ({ act, mayMove }, _column, at) => {
    const to = at + by
    if (!mayMove(at, to)) return at
    act((acts) => acts.move(at, to))
    return to
  }

const headActs: Readonly<Record<string, HeadAct>> = {
  Enter: sort(false),
  'Shift+Enter': sort(true),
  'Shift+ArrowRight': widen(1),
  'Shift+ArrowLeft': widen(-1),
  'Ctrl+ArrowRight': move(1),
  'Ctrl+ArrowLeft': move(-1),
}

/** False for keys that do nothing with the head of a column. */
const actOnHead = (
  event: KeyboardEvent,
  { key, shiftKey, ctrlKey, metaKey, altKey }: Keys,
  { active, columns, heads, onActive }: GridProps,
): boolean => {
  const act = headActs[`${ctrlKey ? 'Ctrl+' : ''}${shiftKey ? 'Shift+' : ''}${key}`]
  const column = columns[active.column]
  if (!act || !column || altKey || metaKey) return false
  event.preventDefault()
  onActive({ ...active, column: act(heads, column, active.column, event.currentTarget) })
  return true
}

/** Opens the menu of the active cell, or of the column whose head is active. */
export const openMenu = ({ active, columns, heads, onMenu }: GridProps, id: string): void => {
  const cell = document.getElementById(cellId(id, active))
  const column = columns[active.column]
  if (!cell) return
  if (active.row !== headRow) onMenu(active, cell)
  else if (column) heads.onMenu(column, cell)
}

/** `id` is that of the grid. */
export const handleKey = (event: KeyboardEvent, props: GridProps, id: string): void => {
  const { active, columns, count = 0, selection } = props
  if (event.target !== event.currentTarget) return
  const keys = keysOf(event)
  const isHead = active.row === headRow
  const row = props.rowAt(active.row)
  if (asksForMenu(keys)) {
    event.preventDefault()
    openMenu(props, id)
    return
  }
  if (isHead && actOnHead(event, keys, props)) return
  if (keys.key === 'Enter' && row) props.onOpen(row)
  if (keys.key === 'F2' && !isHead) props.onEdit(active)
  const place = { index: active.row, row }
  if (selectByKey(event, selection, place, props.hasLetterKeys)) return
  const next = movedBy(keys, active, {
    rows: count,
    columns: columns.length,
    hasHeads: !props.isCards,
  })
  if (!next) return
  event.preventDefault()
  props.onActive(next)
  if (event.shiftKey && !isHead && next.row !== active.row) selection.onExtend(active.row, next.row)
}

// The cell of a list that keys work on. It is the same when a user comes back to the list.

// By the entry of the browser's history, until the page is closed.
const placesByEntry = new Map<string | undefined, Place>()

/** The active cell. Another filter or order makes the first cell active, but leaves the head by which the user sorts. */
export const useActive = ({ w, s, q }: ListSearch): readonly [Place, (place: Place) => void] => {
  const { history } = useRouter()
  const rows = JSON.stringify([w, s, q])
  const [state, setState] = useState(() => ({
    rows,
    place: placesByEntry.get(history.location.state.__TSR_key) ?? firstPlace,
  }))
  if (state.rows !== rows)
    setState({ rows, place: state.place.row === headRow ? state.place : firstPlace })
  const setPlace = useCallback(
    (place: Place) => {
      placesByEntry.set(history.location.state.__TSR_key, place)
      setState((now) => ({ ...now, place }))
    },
    [history],
  )
  return [state.place, setPlace]
}
