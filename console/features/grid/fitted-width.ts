/** How wide columns are on the screen, and how wide their content is. */

/** The heads of a grid but that of the checkboxes, in the order of the columns. */
export const headsOf = (grid: Element): readonly HTMLElement[] =>
  [...grid.querySelectorAll<HTMLElement>('[role=columnheader]')].slice(1)

export const widthOf = (head: Element | undefined): number =>
  Math.round(head?.getBoundingClientRect().width ?? 0)

/** The width in which the head, in one line, and every cell of a column on the screen are whole. */
export const fittedWidth = (grid: Element, at: number): number => {
  grid.toggleAttribute('data-measured', true)
  const cells = grid.querySelectorAll(`[role=gridcell][aria-colindex="${at + 2}"]`)
  const width = Math.max(...[...cells, ...headsOf(grid).slice(at, at + 1)].map(contentWidth))
  grid.toggleAttribute('data-measured', false)
  return width
}

const sideNames = [
  ...(['paddingInlineStart', 'paddingInlineEnd', 'marginInlineStart', 'marginInlineEnd'] as const),
  ...(['borderInlineStartWidth', 'borderInlineEndWidth'] as const),
]

/** What an element has at both sides of its content. */
const sidesOf = (element: Element): number => {
  const style = getComputedStyle(element)
  return sideNames.reduce((sum, name) => sum + (Number.parseFloat(style[name]) || 0), 0)
}

/** Of a text that may be cut on the screen, or of a button of a fixed size. */
const partWidth = (part: Element): number => {
  if (part.matches('.button')) return part.getBoundingClientRect().width
  const content = document.createRange()
  content.selectNodeContents(part)
  return content.getBoundingClientRect().width + sidesOf(part)
}

const contentWidth = (cell: Element): number => {
  const parts = [...cell.children].filter((part) => !part.matches('[popover], .grid-resize'))
  // A part of a pixel less cuts the last letter.
  return Math.ceil(parts.reduce((sum, part) => sum + partWidth(part), sidesOf(cell))) + 2
}
