/** How keys move the active cell of a grid. */

export type Place = { readonly row: number; readonly column: number }

type Size = { readonly rows: number; readonly columns: number }
type Keys = {
  readonly key: string
  readonly ctrlKey: boolean
  readonly altKey: boolean
  readonly metaKey: boolean
}

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
  'Ctrl+End': { row: all, column: all },
}

const within = (value: number, size: number): number => Math.max(0, Math.min(value, size - 1))

/** The place that a key leads to; undefined for keys that move nothing. */
export const movedBy = (keys: Keys, place: Place, size: Size): Place | undefined => {
  if (keys.altKey || keys.metaKey || size.rows === 0) return undefined
  const step = steps[`${keys.ctrlKey ? 'Ctrl+' : ''}${keys.key}`]
  if (!step) return undefined
  return {
    row: within(place.row + step.row, size.rows),
    column: within(place.column + step.column, size.columns),
  }
}

/** Names the element of a cell. */
export const cellId = (grid: string, { row, column }: Place): string => `${grid}-${row}-${column}`
