/**
 * How the columns of a grid stand: values of one length take what they need and texts share the rest, pinned columns stay at
 * the start, and only columns in view have cells. Tested without a browser, so it uses none.
 */
import { kindOf } from '../format/field-kinds.ts'
import type { ListColumn } from '../values/columns.ts'
import type { MainColumns } from '../values/main-columns.ts'

/** How a user likes the columns of an entity. */
export type ColumnLook = {
  /** In pixels, by the path of the column; others have the usual width. */
  readonly widths: Readonly<Record<string, number>>
  /** Paths of the columns that stay at the start while the others are scrolled. */
  readonly pinned: readonly string[]
}

/** CSS properties of the grid, which its head and every row use, so that their columns stand below each other. */
export type GridLayout = Readonly<Record<`--${string}`, string>>

// In pixels, by the type of the field.
const widths: Readonly<Partial<Record<ListColumn['field']['type'], number>>> = {
  boolean: 90,
  integer: 110,
  bigint: 150,
  decimal: 140,
  date: 130,
  timestamp: 190,
  enum: 120,
}
const unknownWidth = 170
const minTextWidth = 120
const maxTextWidth = 220
// Amounts, and codes of articles and accounts, are shown whole: a part of them would be another one.
const maxWholeWidth = 340
const maxCodeLength = 40
// The padding of a cell, with the frame of a step, and that of a head, with its menu.
const aroundText = 26
const aroundStep = 44
const aroundHead = 46
const unitWidth = 30
const checkboxWidth = 40
// Columns that mean the same in every entity.
const widthsByPath: Readonly<Record<string, number>> = { id: 90 }

/** The columns with the pinned ones first. */
export const pinnedFirst = (
  columns: readonly ListColumn[],
  { pinned }: ColumnLook,
): readonly ListColumn[] => {
  if (pinned.length === 0) return columns
  const isPinned = ({ path }: ListColumn) => pinned.includes(path)
  return [...columns.filter(isPinned), ...columns.filter((column) => !isPinned(column))]
}

/** How many of the columns are pinned; they are the first. */
export const pinnedCount = (columns: readonly ListColumn[], { pinned }: ColumnLook): number =>
  columns.filter(({ path }) => pinned.includes(path)).length

/** Whether a column may go to another place: pinned ones stay before the others. */
export const mayMove = (
  columns: readonly ListColumn[],
  look: ColumnLook,
  from: number,
  to: number,
): boolean => {
  const pins = pinnedCount(columns, look)
  return to >= 0 && to < columns.length && from < pins === to < pins
}

/** How cells that stay at the start are marked; the last of them is where the others disappear. */
export const pinOf = (at: number, pins: number): string | undefined => {
  if (at >= pins) return undefined
  return at === pins - 1 ? 'last' : ''
}

const widthOf = ({ type, unit }: ListColumn['field']): number | undefined => {
  const width = widths[type]
  return width !== undefined && unit !== undefined ? width + unitWidth : width
}

/** Whether its values are numbers, unique, or short by their definition. */
const isWhole = ({ field }: ListColumn): boolean =>
  kindOf(field).isNumber || Boolean(field.unique) || (field.maxLength ?? Infinity) <= maxCodeLength

/** The width of the texts of the first rows, within limits. */
const textWidthOf = (column: ListColumn): number | undefined => {
  const { textWidth, path } = column
  if (textWidth === undefined) return undefined
  const width = Math.ceil(textWidth) + (path === '_step' ? aroundStep : aroundText)
  return Math.min(width, isWhole(column) ? maxWholeWidth : maxTextWidth)
}

const headWidthOf = ({ wordWidth = 0 }: ListColumn): number =>
  Math.min(Math.ceil(wordWidth) + aroundHead, maxTextWidth)

/** The least widths of the columns, and which of them share what is left. */
const sizesOf = (columns: readonly ListColumn[], look: ColumnLook) =>
  columns.map((column) => {
    const { field, path } = column
    const chosen = look.widths[path]
    const usual = widthsByPath[path] ?? widthOf(field)
    const text = textWidthOf(column) ?? (usual === undefined ? unknownWidth : 0)
    const width = chosen ?? Math.max(usual ?? minTextWidth, text, headWidthOf(column))
    const isFixed = usual !== undefined || path === '_step'
    return { width, isChosen: chosen !== undefined, isFixed }
  })

/** How many of the columns are in view in a grid of this width that is not scrolled sideways. */
export const columnsWithin = (
  columns: readonly ListColumn[],
  look: ColumnLook,
  gridWidth: number,
): number => {
  let start = checkboxWidth
  // Columns share what is left only where all of them are in view.
  const inView = sizesOf(columns, look).filter(({ width }) => {
    const isInView = start < gridWidth
    start += width
    return isInView
  })
  return inView.length
}

/** The least room of a text in each of the columns, in pixels; some share what is left. */
export const roomsOf = (columns: readonly ListColumn[], look: ColumnLook): readonly number[] =>
  sizesOf(columns, look).map(({ width }) => width - aroundText)

export const layoutOf = (columns: readonly ListColumn[], look: ColumnLook): GridLayout => {
  const sized = sizesOf(columns, look)
  const isSharing = sized.some(({ isFixed, isChosen }) => !isFixed && !isChosen)
  const template = sized.map(({ isFixed, isChosen, width }) =>
    isChosen || (isFixed && isSharing) ? `${width}px` : `minmax(${width}px, ${width}fr)`,
  )
  const sum = sized.reduce((total, { width }) => total + width, checkboxWidth)
  return {
    '--columns': [`${checkboxWidth}px`, ...template].join(' '),
    '--columns-width': `${sum}px`,
  }
}

/** Heights of rows in pixels, by density. */
export const rowHeights = { normal: 36, compact: 30 } as const

export const cardHeight = 84

// Columns of a card besides the name of its record.
const cardDetails = 3

/** The columns of a card: the name of its record, its title, and the first of the others. */
export const cardColumns = (
  columns: readonly ListColumn[],
  { name, title }: Pick<MainColumns, 'name' | 'title'>,
): readonly ListColumn[] => {
  const shown = (main: ListColumn | undefined) => columns.find(({ path }) => path === main?.path)
  const first = [shown(name) ?? columns[0], shown(title)].flatMap((column) => column ?? [])
  return [...new Set([...first, ...columns])].slice(0, 1 + cardDetails)
}

/** Numbers with units and names of linked records have more room than steps and short texts. */
const cardShareOf = (column: ListColumn | undefined): number => {
  if (column?.field.unit) return 1.5
  return column?.link ? 1.4 : 1
}

export const cardLayoutOf = ([, ...details]: readonly ListColumn[]): GridLayout => {
  const shares = Array.from({ length: cardDetails }, (_, at) => cardShareOf(details[at]))
  return {
    '--columns': [`${checkboxWidth}px`, ...shares.map((share) => `minmax(0, ${share}fr)`)].join(
      ' ',
    ),
    '--columns-width': '0px',
  }
}
