/** Columns made wider or narrower, or moved, by the pointer; loaded when it comes to the head of a list. */
import type { ListColumn } from '../values/columns.ts'
import { allowedWidth, withWidths } from './column-look.ts'
import { headsOf, widthOf } from './fitted-width.ts'
import { type ColumnLook, type GridLayout, layoutOf, pinnedCount } from './grid-layout.ts'

type Drag = {
  /** Hears how far the pointer is from where it began, in the direction of the text. */
  readonly onMove: (by: number, clientX: number) => void
  readonly onEnd: () => void
  /** Takes back what was shown. */
  readonly onCancel: () => void
}

/** Follows a pointer that the element has captured, until it is released or Escape is pressed. */
const follow = (element: HTMLElement, { pointerId, clientX }: PointerEvent, drag: Drag): void => {
  // It was released before this file was there.
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

type Columns = {
  readonly columns: readonly ListColumn[]
  readonly look: ColumnLook
  /** Of the column. */
  readonly at: number
}

/** Makes a column as wide as the pointer says. Those before it keep their widths, so that its end stays at the pointer. */
export const dragWidth = (
  handle: HTMLElement,
  event: PointerEvent,
  { columns, look, at, onWidths }: Columns & { onWidths: (widths: ColumnLook['widths']) => void },
): void => {
  const grid = handle.closest<HTMLElement>('[role=grid]')
  const path = columns[at]?.path
  if (!grid || path === undefined) return
  const now = headsOf(grid)
    .slice(0, at + 1)
    .map(widthOf)
  const kept = Object.fromEntries(columns.slice(0, at + 1).map((one, i) => [one.path, now[i] ?? 0]))
  let widths = look.widths
  follow(handle, event, {
    onMove: (by) => {
      widths = { ...kept, [path]: allowedWidth((kept[path] ?? 0) + by) }
      show(grid, layoutOf(columns, withWidths(look, widths)))
    },
    onEnd: () => widths !== look.widths && onWidths(widths),
    onCancel: () => show(grid, layoutOf(columns, look)),
  })
}

// What moves less is a click.
const clickPixels = 5
// So near to the edge of a list, it scrolls.
const edgePixels = 32
const scrollPixels = 24

/** Moves a column to where it is dropped, among those that are pinned like it. */
export const dragColumn = (
  button: HTMLElement,
  event: PointerEvent,
  { columns, look, at, onMove }: Columns & { onMove: (from: number, to: number) => void },
): void => {
  const grid = button.closest<HTMLElement>('[role=grid]')
  const heads = grid ? headsOf(grid) : []
  const head = heads[at]
  if (!grid || !head) return
  const pins = pinnedCount(columns, look)
  const [first, last] = at < pins ? [0, pins - 1] : [pins, columns.length - 1]
  let target = at
  const mark = (isDragged: boolean) => {
    head.toggleAttribute('data-dragged', isDragged)
    for (const [i, one] of heads.entries()) {
      const side = i === target && target !== at ? (target < at ? 'start' : 'end') : undefined
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
      if (target !== at) onMove(at, target)
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
