/** How keys move the active cell of a grid, which may be a head of a column too (WAI-ARIA grid). */
import type { KeyboardEvent } from 'react'

export type Place = {
  readonly row: number
  readonly column: number
  /** Whether the end of the list is meant, wherever it is. */
  readonly isEnd?: boolean
}

type Size = { readonly rows: number; readonly columns: number; readonly hasHeads: boolean }
export type Keys = {
  readonly key: string
  readonly shiftKey: boolean
  readonly ctrlKey: boolean
  readonly altKey: boolean
  readonly metaKey: boolean
}

/** Where a list begins; this very place means that nobody has moved yet. */
export const firstPlace: Place = { row: 0, column: 0 }

/** The row of the heads. */
export const headRow = -1

const pageRows = 20

const all = Number.MAX_SAFE_INTEGER / 2
const steps: Readonly<Record<string, Place>> = {
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
}

const within = (value: number, least: number, size: number): number =>
  Math.max(least, Math.min(value, size - 1))

/** The place that a key leads to; undefined for keys that move nothing. */
export const movedBy = (keys: Keys, place: Place, size: Size): Place | undefined => {
  if (keys.altKey || keys.metaKey || size.rows === 0) return undefined
  const step = steps[`${keys.ctrlKey ? 'Ctrl+' : ''}${keys.key}`]
  if (!step) return undefined
  // Up from the first row, and sideways among the heads; whoever leaps up means the rows.
  const isUp = step.row === 0 ? place.row === headRow : step.row === -1 && !keys.shiftKey
  return {
    row: within(place.row + step.row, isUp && size.hasHeads ? headRow : 0, size.rows),
    column: within(place.column + step.column, 0, size.columns),
    ...(step.isEnd && { isEnd: true }),
  }
}

/** What is pressed, with the arrows as they point in a page from left to right. */
export const keysOf = (event: KeyboardEvent): Keys => {
  const { ctrlKey, altKey, metaKey, shiftKey, key, currentTarget } = event
  const isMirrored = getComputedStyle(currentTarget).direction === 'rtl'
  return { ctrlKey, altKey, metaKey, shiftKey, key: (isMirrored && mirrored[key]) || key }
}

const mirrored: Readonly<Record<string, string>> = {
  ArrowLeft: 'ArrowRight',
  ArrowRight: 'ArrowLeft',
}

/** Whether keys ask for a menu. */
export const asksForMenu = ({ key, shiftKey, altKey }: Keys): boolean =>
  key === 'ContextMenu' || (key === 'F10' && shiftKey) || (key === 'ArrowDown' && altKey)

/** Names the element of a cell. */
export const cellId = (grid: string, { row, column }: Place): string => `${grid}-${row}-${column}`
