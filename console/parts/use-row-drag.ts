/** Rows that are put in another order by mouse, pen or finger; keys do the same in a way of their own. */
import { type PointerEvent, useState } from 'react'

/** `to` is the index of the gap between rows. */
type Drag = { readonly from: number; readonly to: number }

const edge = 24
const scrollStep = 12

const listOf = (target: Element): Element | null => target.closest('[role=listbox], ol')

/** The gap nearest to a height of the page. */
const gapAt = (list: Element | null, y: number): number =>
  [...(list?.children ?? [])].filter((row) => {
    const { top, height } = row.getBoundingClientRect()
    return top + height / 2 < y
  }).length

/** Scrolls a long list while the pointer is at its edge. */
const scrollAtEdge = (list: Element | null, y: number): void => {
  if (!list) return
  const { top, bottom } = list.getBoundingClientRect()
  if (y < top + edge) list.scrollTop -= scrollStep
  if (y > bottom - edge) list.scrollTop += scrollStep
}

/** Drags a row to another place; a line shows the target. */
export const useRowDrag = (onMove: (from: number, to: number) => void) => {
  const [drag, setDrag] = useState<Drag>()
  /** The handlers of the grip of a row. */
  const gripOf = (from: number) => ({
    onPointerDown: (event: PointerEvent<HTMLElement>) => {
      event.currentTarget.setPointerCapture(event.pointerId)
      setDrag({ from, to: from })
    },
    onPointerMove: ({ currentTarget, clientY }: PointerEvent<HTMLElement>) => {
      if (!drag) return
      const list = listOf(currentTarget)
      scrollAtEdge(list, clientY)
      setDrag({ ...drag, to: gapAt(list, clientY) })
    },
    onPointerUp: () => {
      setDrag(undefined)
      if (!drag) return
      // The gaps after the row move up with it.
      const to = drag.to > drag.from ? drag.to - 1 : drag.to
      if (to !== drag.from) onMove(drag.from, to)
    },
    onPointerCancel: () => setDrag(undefined),
  })
  /** How a row of so many shows that it is dragged, and the line before or after it. */
  const lookOf = (at: number, count: number) => ({
    'data-gap':
      drag?.to === at ? 'before' : drag?.to === count && at === count - 1 ? 'after' : undefined,
    'data-dragged': drag?.from === at || undefined,
  })
  return { gripOf, lookOf }
}
