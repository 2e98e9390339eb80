/**
 * What changes the columns of a list, by menu, keys and pointer; loaded when the pointer comes to the heads. The order of
 * columns stands in the address, widths and pins are settings of the user.
 */
import type { ListColumn } from '../values/columns.ts'
import { allowedWidth } from './column-look.ts'
import { type ColumnLook, type GridLayout, layoutOf, mayMove, pinnedCount } from './grid-layout.ts'
import { type ListSearch, withColumns } from './list-state.ts'

// Pixels of one key or click.
const widthStep = 16

type Options = {
  /** Those that are shown, in their order. */
  readonly columns: readonly ListColumn[]
  readonly search: ListSearch
  readonly onChange: (search: ListSearch) => void
  readonly look: ColumnLook
  readonly onLook: (look: ColumnLook) => void
}

export type ColumnActs = ReturnType<typeof columnActs>

/** `inside` is any element of the grid, `at` the index of a column. */
export const columnActs = ({ columns, search, onChange, look, onLook }: Options) => {
  const setWidths = (widths: ColumnLook['widths']) => onLook(withWidths(look, widths))
  const setWidth = (at: number, width: number) => {
    const column = columns[at]
    if (column) setWidths({ [column.path]: allowedWidth(width) })
  }
  const move = (from: number, to: number) => {
    const paths = columns.map(({ path }) => path)
    const path = paths[from]
    if (path === undefined || !mayMove(columns, look, from, to)) return
    onChange(withColumns(search, paths.toSpliced(from, 1).toSpliced(to, 0, path)))
  }
  return {
    move,
    /** Makes a column a step wider, or narrower. */
    widen: (inside: Element, at: number, steps: 1 | -1) => {
      const head = headsAround(inside)[at]
      if (head) setWidth(at, head.getBoundingClientRect().width + steps * widthStep)
    },
    /** Makes a column so wide that nothing of it on the screen is cut off. */
    fit: (inside: Element, at: number) => {
      const grid = gridAround(inside)
      if (grid) setWidth(at, fittedWidth(grid, at))
    },
    usualWidth: (at: number) => {
      const widths = Object.entries(look.widths).filter(([path]) => path !== columns[at]?.path)
      onLook({ ...look, widths: Object.fromEntries(widths) })
    },
    togglePin: ({ path }: ListColumn) => onLook(withPin(look, path)),
    /** The end of a column, or its head, is dragged by a pointer that the element has captured. */
    dragWidth: (handle: HTMLElement, event: PointerEvent, at: number) =>
      dragWidth(handle, event, { columns, look, at }, setWidths),
    drag: (button: HTMLElement, event: PointerEvent, at: number) =>
      dragColumn(button, event, { columns, look, at }, move),
  }
}

/** The look with these widths, which become the last that were changed. */
const withWidths = (look: ColumnLook, widths: ColumnLook['widths']): ColumnLook => {
  const others = Object.entries(look.widths).filter(([path]) => !(path in widths))
  return { ...look, widths: { ...Object.fromEntries(others), ...widths } }
}

/** The look with a column pinned after the others, or no longer pinned. */
const withPin = (look: ColumnLook, path: string): ColumnLook => {
  const others = look.pinned.filter((one) => one !== path)
  return { ...look, pinned: others.length < look.pinned.length ? others : [...others, path] }
}

const gridAround = (inside: Element) => inside.closest<HTMLElement>('[role=grid]')

/** The heads of a grid but that of the checkboxes, in the order of the columns. */
const headsOf = (grid: Element): readonly HTMLElement[] =>
  [...grid.querySelectorAll<HTMLElement>('[role=columnheader]')].slice(1)

const headsAround = (inside: Element): readonly HTMLElement[] => {
  const grid = gridAround(inside)
  return grid ? headsOf(grid) : []
}

/** The width in which the head, in one line, and every cell of a column on the screen are whole. */
const fittedWidth = (grid: Element, at: number): number => {
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

/** The padding, margin and border at both sides of an element. */
const sidesOf = (element: Element): number => {
  const style = getComputedStyle(element)
  return sideNames.reduce((sum, name) => sum + (Number.parseFloat(style[name]) || 0), 0)
}

/** The width of a text that may be cut off on the screen, or of a button, which has a fixed size. */
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

type Drag = {
  /** Called with the distance of the pointer from where it began, in the direction of the text. */
  readonly onMove: (by: number, clientX: number) => void
  readonly onEnd: () => void
  /** Takes back what was shown. */
  readonly onCancel: () => void
}

/** Follows a pointer that the element has captured, until it is released or Escape is pressed. */
const follow = (element: HTMLElement, { pointerId, clientX }: PointerEvent, drag: Drag): void => {
  // It was released before this file was loaded.
  if (!element.hasPointerCapture(pointerId)) return
  const ended = new AbortController()
  const { signal } = ended
  const sign = getComputedStyle(element).direction === 'rtl' ? -1 : 1
  const end = (act: () => void) => {
    ended.abort()
    act()
  }
  element.addEventListener(
    'pointermove',
    (event) => drag.onMove((event.clientX - clientX) * sign, event.clientX),
    { signal },
  )
  element.addEventListener('pointerup', () => end(drag.onEnd), { signal })
  element.addEventListener('pointercancel', () => end(drag.onCancel), { signal })
  window.addEventListener(
    'keydown',
    (event) => {
      if (event.key !== 'Escape') return
      event.preventDefault()
      event.stopPropagation()
      end(drag.onCancel)
    },
    { signal, capture: true },
  )
}

const show = (grid: HTMLElement, layout: GridLayout): void => {
  for (const [name, value] of Object.entries(layout)) grid.style.setProperty(name, value)
}

type Dragged = Pick<Options, 'columns' | 'look'> & { readonly at: number }

/** Makes a column as wide as the pointer says. Those before it keep their widths, so that its end stays at the pointer. */
const dragWidth = (
  handle: HTMLElement,
  event: PointerEvent,
  { columns, look, at }: Dragged,
  onWidths: (widths: ColumnLook['widths']) => void,
): void => {
  const grid = gridAround(handle)
  const path = columns[at]?.path
  if (!grid || path === undefined) return
  const heads = headsOf(grid)
  const widthAt = (index: number) => Math.round(heads[index]?.getBoundingClientRect().width ?? 0)
  const before = Object.fromEntries(
    columns.slice(0, at + 1).map((column, index) => [column.path, widthAt(index)]),
  )
  let widths = look.widths
  follow(handle, event, {
    onMove: (by) => {
      widths = { ...before, [path]: allowedWidth((before[path] ?? 0) + by) }
      show(grid, layoutOf(columns, withWidths(look, widths)))
    },
    onEnd: () => widths !== look.widths && onWidths(widths),
    onCancel: () => show(grid, layoutOf(columns, look)),
  })
}

// A shorter movement is a click.
const clickPixels = 5
// So near to its edge, the list scrolls.
const edgePixels = 32
const scrollPixels = 24

/** Moves a column to where it is dropped, among those that are pinned like it. */
const dragColumn = (
  button: HTMLElement,
  event: PointerEvent,
  { columns, look, at }: Dragged,
  onDrop: (from: number, to: number) => void,
): void => {
  const grid = gridAround(button)
  const heads = headsAround(button)
  const head = heads[at]
  if (!grid || !head) return
  const pins = pinnedCount(columns, look)
  const [first, last] = at < pins ? [0, pins - 1] : [pins, columns.length - 1]
  let target = at
  const mark = (isDragged: boolean) => {
    head.toggleAttribute('data-dragged', isDragged)
    for (const [index, one] of heads.entries()) {
      const side = index === target && target !== at ? (target < at ? 'start' : 'end') : undefined
      if (side && isDragged) one.dataset.drop = side
      else delete one.dataset.drop
    }
  }
  follow(button, event, {
    onMove: (by, x) => {
      if (Math.abs(by) < clickPixels && !head.hasAttribute('data-dragged')) return
      scrollAtEdge(grid, x)
      target = Math.max(first, Math.min(headAt(heads, x), last))
      mark(true)
    },
    onEnd: () => {
      if (head.hasAttribute('data-dragged')) suppressClick()
      mark(false)
      if (target !== at) onDrop(at, target)
    },
    onCancel: () => mark(false),
  })
}

const headAt = (heads: readonly HTMLElement[], x: number): number => {
  const boxes = heads.map((one) => one.getBoundingClientRect())
  const found = boxes.findIndex(({ left, right }) => x >= left && x < right)
  if (found >= 0) return found
  const isBeforeFirst =
    Math.abs(x - (boxes[0]?.left ?? 0)) < Math.abs(x - (boxes.at(-1)?.left ?? 0))
  return isBeforeFirst ? 0 : heads.length - 1
}

const scrollAtEdge = (grid: HTMLElement, x: number): void => {
  const { left, right } = grid.getBoundingClientRect()
  if (x > right - edgePixels) grid.scrollBy({ left: scrollPixels })
  else if (x < left + edgePixels) grid.scrollBy({ left: -scrollPixels })
}

/** The button that was dragged is not clicked. */
const suppressClick = (): void => {
  const ended = new AbortController()
  const stop = (event: Event) => {
    event.preventDefault()
    event.stopPropagation()
  }
  window.addEventListener('click', stop, { capture: true, once: true, signal: ended.signal })
  setTimeout(() => ended.abort())
}
