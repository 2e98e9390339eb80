/** How wide the columns of a grid are: values of one length take what they need, texts share the rest. */
import type { ListColumn } from './columns.ts'

/** Styles that the head and every row have in common, so that their columns stand below each other. */
export type GridLayout = {
  readonly gridTemplateColumns: string
  readonly minInlineSize: number
}

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
const textWidth = 170
// Of the checkboxes.
const selectWidth = 40
// Of columns that mean the same in every entity.
const widthsByPath: Readonly<Record<string, number>> = { id: 90, _step: 140 }

export const layoutOf = (columns: readonly ListColumn[]): GridLayout => {
  const sized = columns.map(({ field, path }) => {
    const fixed = widthsByPath[path] ?? widths[field.type]
    return { isFixed: fixed !== undefined, width: fixed ?? textWidth }
  })
  const isSharing = sized.some(({ isFixed }) => !isFixed)
  const template = sized.map(({ isFixed, width }) =>
    isFixed && isSharing ? `${width}px` : `minmax(${width}px, 1fr)`,
  )
  return {
    gridTemplateColumns: [`${selectWidth}px`, ...template].join(' '),
    minInlineSize: sized.reduce((sum, { width }) => sum + width, selectWidth),
  }
}

/** Heights of rows in pixels, by density. */
export const rowHeights = { normal: 36, compact: 30 } as const

/** Of a card. */
export const cardHeight = 84

// What a card shows besides what names its record.
const cardDetails = 3

/** The columns of a card: what names its record, and the first of the others. */
export const cardColumns = (
  columns: readonly ListColumn[],
  displayField: string,
): readonly ListColumn[] => {
  const named = columns.find(({ path }) => path === displayField) ?? columns[0]
  const others = columns.filter((column) => column !== named)
  return named ? [named, ...others.slice(0, cardDetails)] : []
}

export const cardLayout: GridLayout = {
  gridTemplateColumns: `${selectWidth}px repeat(${cardDetails}, minmax(0, 1fr))`,
  minInlineSize: 0,
}
