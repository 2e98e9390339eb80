/** Drags an option of a list to another place by mouse, pen or finger; a line shows where it would go. */
import { type PointerEvent, useState } from 'react'

/** `to` is the number of the gap between options, from 0. */
type Drag = { readonly from: number; readonly to: number }

const edge = 24
const scrollStep = 12

const listOf = (target: Element): Element | null => target.closest('[role=listbox]')

/** The gap that is nearest to a height of the page. */
const gapAt = (list: Element | null, y: number): number =>
  [...(list?.children ?? [])].filter((option) => {
    const { top, height } = option.getBoundingClientRect()
    return top + height / 2 < y
  }).length

/** A long list moves on while the pointer is at its end. */
const scrollAtEdge = (list: Element | null, y: number): void => {
  if (!list) return
  const { top, bottom } = list.getBoundingClientRect()
  if (y < top + edge) list.scrollTop -= scrollStep
  if (y > bottom - edge) list.scrollTop += scrollStep
}

export const useRowDrag = (onMove: (from: number, to: number) => void) => {
  const [drag, setDrag] = useState<Drag>()
  /** For the part of an option that is taken hold of. */
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
      // The gaps after the option move up with it.
      const to = drag.to > drag.from ? drag.to - 1 : drag.to
      if (to !== drag.from) onMove(drag.from, to)
    },
    onPointerCancel: () => setDrag(undefined),
  })
  return { drag, gripOf }
}
