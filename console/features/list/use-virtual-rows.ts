/**
 * Which rows of a list of any length are on the screen. Rows are of one height, so this is arithmetic; browsers
 * limit the height of an element, so the scroll bar of a very long list stands for more pixels than it has.
 */
import { type RefObject, useCallback, useLayoutEffect, useState } from 'react'

// Firefox ends at some 17.9 million pixels, Chromium at 33.5.
const maxSpacer = 16_000_000
const rowsBeyond = 6
// Pixels of so many rows are counted exactly by every part of a browser.
const rowsOfBase = 100_000

export type VirtualRows = {
  /** Height of the element that gives the scroll bar its length, in pixels. */
  readonly spacer: number
  /** The row from which those on the screen are placed. They keep their places while the list is scrolled. */
  readonly base: number
  /** Distance of that row from the top of the spacer, in pixels; it stays too, but for very long lists. */
  readonly offset: number
  /** Whether it changes with every step of the scroll bar. */
  readonly isMoving: boolean
  readonly first: number
  /** Behind the last one. */
  readonly end: number
  /** Scrolls as little as brings the row into view. */
  readonly scrollTo: (index: number) => void
}

type Options = {
  readonly count: number
  readonly rowHeight: number
  /** Height of what stays at the top of the scrolled element, in pixels. */
  readonly headHeight: number
}

type View = { readonly top: number; readonly height: number }

/** The rows in view of a scrolled element. */
export const useVirtualRows = (
  element: RefObject<HTMLElement | null>,
  { count, rowHeight, headHeight }: Options,
): VirtualRows => {
  const [view, setView] = useState<View>({ top: 0, height: 800 })
  useLayoutEffect(() => {
    const scrolled = element.current
    if (!scrolled) return
    const read = () => setView({ top: scrolled.scrollTop, height: scrolled.clientHeight })
    const observer = new ResizeObserver(read)
    observer.observe(scrolled)
    scrolled.addEventListener('scroll', read, { passive: true })
    read()
    return () => {
      observer.disconnect()
      scrolled.removeEventListener('scroll', read)
    }
  }, [element])
  const layout = layOut(view, { count, rowHeight, headHeight })
  const { scale } = layout
  const scrollTo = useCallback(
    (index: number) => {
      const scrolled = element.current
      if (!scrolled) return
      const room = scrolled.clientHeight - headHeight - rowHeight
      const top = index * rowHeight
      const shown = scrolled.scrollTop * scale
      if (top < shown) scrolled.scrollTop = top / scale
      else if (top > shown + room) scrolled.scrollTop = (top - room) / scale
    },
    [element, headHeight, rowHeight, scale],
  )
  return { ...layout, scrollTo }
}

/** Pixels of the list for each pixel of the scroll bar, and what follows from it. */
const layOut = ({ top, height }: View, { count, rowHeight, headHeight }: Options) => {
  const whole = count * rowHeight
  const spacer = Math.min(whole, maxSpacer)
  const room = Math.max(height - headHeight, 0)
  const scale = spacer === whole ? 1 : (whole - room) / Math.max(spacer - room, 1)
  const shown = Math.min(top * scale, Math.max(whole - room, 0))
  const inView = Math.floor(shown / rowHeight)
  const first = Math.max(inView - rowsBeyond, 0)
  const end = Math.min(inView + Math.ceil(room / rowHeight) + 1 + rowsBeyond, count)
  const base = Math.floor(first / rowsOfBase) * rowsOfBase
  const offset = Math.min(top, Math.max(spacer - room, 0)) - (shown - base * rowHeight)
  return { spacer, scale, first, end, base, offset, isMoving: scale !== 1 }
}
