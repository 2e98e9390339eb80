/** Which rows of a list of any length are on the screen, and how wide it is. Rows are of one height, so this is arithmetic. */
import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { type Lengths, movedTo, type Scrolled, scrolledBy, spacerOf } from './long-scroll.ts'

const rowsBeyond = 6
// Rows out of view are rendered after those in view have been painted.
const beyondAfterMs = 100
// Every part of a browser computes the pixels of so many rows exactly.
const rowsOfBase = 100_000

export type VirtualRows = {
  /** Height of the element that gives the scroll bar its length, in pixels. */
  readonly spacer: number
  /** The row from which those on the screen are placed. They keep their places while the list is scrolled. */
  readonly base: number
  /** Distance of that row from the top of the spacer, in pixels; jumps in a very long list change it. */
  readonly start: number
  readonly first: number
  /** The row after the last one. */
  readonly end: number
  /** The width of the columns in view, in pixels; infinite once the user has scrolled sideways. */
  readonly width: number
  /** Makes the width infinite. */
  readonly showAll: () => void
  /** Scrolls as little as brings the row into view. */
  readonly scrollTo: (index: number) => void
}

type Options = {
  readonly count: number
  readonly rowHeight: number
  /** Height of what stays at the top of the scrolled element, in pixels. */
  readonly headHeight: number
}

type Size = { readonly height: number; readonly width: number }

type View = Scrolled & Size

// Most lists are as large as the one before, so they need not be rendered again when they are measured. The navigation takes
// some 230 pixels.
let lastSize: Size | undefined
const firstSize = (): Size => ({ height: 800, width: innerWidth - 230 })

/** The rows in view of a scrolled element. */
export const useVirtualRows = (
  element: RefObject<HTMLElement | null>,
  { count, rowHeight, headHeight }: Options,
): VirtualRows => {
  const [view, setView] = useState<View>(() => ({
    top: 0,
    offset: 0,
    ...(lastSize ?? firstSize()),
  }))
  const beyond = useBeyond()
  const latest = useRef(view)
  const show = useCallback((scrolled: HTMLElement, { top, offset }: Scrolled) => {
    if (top !== scrolled.scrollTop) scrolled.scrollTop = top
    latest.current = viewOf(scrolled, offset, latest.current)
    setView((before) => (isSame(before, latest.current) ? before : latest.current))
  }, [])
  const keepPlace = useSamePlace(element, latest)
  useLayoutEffect(() => {
    const scrolled = element.current
    if (!scrolled) return
    const read = () => {
      keepPlace(scrolled)
      const lengths = lengthsOf(scrolled.clientHeight, { count, rowHeight, headHeight })
      show(scrolled, scrolledBy(latest.current, scrolled.scrollTop, lengths))
    }
    const observer = new ResizeObserver(read)
    observer.observe(scrolled)
    scrolled.addEventListener('scroll', read, { passive: true })
    read()
    return () => {
      observer.disconnect()
      scrolled.removeEventListener('scroll', read)
    }
  }, [element, show, keepPlace, count, rowHeight, headHeight])
  const scrollTo = useCallback(
    (index: number) => {
      const scrolled = element.current
      if (!scrolled) return
      const lengths = lengthsOf(scrolled.clientHeight, { count, rowHeight, headHeight })
      const before = { ...latest.current, top: scrolled.scrollTop }
      const shown = before.top + before.offset
      const top = index * rowHeight
      const lowest = top + rowHeight - lengths.room
      if (top >= shown && lowest <= shown) return
      show(scrolled, movedTo(before, top < shown ? top : lowest, lengths))
    },
    [element, show, count, rowHeight, headHeight],
  )
  const showAll = useCallback(() => {
    latest.current = { ...latest.current, width: Infinity }
    setView(latest.current)
  }, [])
  return { ...layOut(view, beyond, { count, rowHeight, headHeight }), showAll, scrollTo }
}

/** A list that is scrolled to its end stays there when less of it is in view, as when its foot grows. */
const keepEnd = (scrolled: HTMLElement, { height }: Size): void => {
  const { clientHeight, scrollTop, scrollHeight } = scrolled
  if (clientHeight < height && scrollTop + height >= scrollHeight - 1)
    scrolled.scrollTop = scrollHeight
}

const viewOf = (scrolled: HTMLElement, offset: number, before: View): View => {
  const { scrollTop, scrollLeft, clientHeight: height, clientWidth: width } = scrolled
  lastSize = { height, width }
  const isAside = scrollLeft !== 0 || before.width === Infinity
  // Browsers round the top to pixels of the screen.
  return { top: scrollTop, offset, height, width: isAside ? Infinity : width }
}

/** How many rows out of view are rendered. */
const useBeyond = (): number => {
  const [beyond, setBeyond] = useState(0)
  useEffect(() => {
    const timer = setTimeout(() => setBeyond(rowsBeyond), beyondAfterMs)
    return () => {
      clearTimeout(timer)
      // A list that was kept is shown sooner without them.
      setBeyond(0)
    }
  }, [])
  return beyond
}

/** An element that was out of the document is at its start when it comes back; this brings it to where it was. */
const useSamePlace = (element: RefObject<HTMLElement | null>, latest: RefObject<View>) => {
  const left = useRef(0)
  useLayoutEffect(() => {
    element.current?.scrollTo(left.current, latest.current.top)
  }, [element, latest])
  return useCallback(
    (scrolled: HTMLElement) => {
      keepEnd(scrolled, latest.current)
      left.current = scrolled.scrollLeft
      scrolled.toggleAttribute('data-aside', left.current !== 0)
    },
    [latest],
  )
}

const isSame = (one: View, other: View): boolean =>
  (['top', 'offset', 'height', 'width'] as const).every((key) => one[key] === other[key])

const lengthsOf = (height: number, { count, rowHeight, headHeight }: Options): Lengths => ({
  whole: count * rowHeight,
  room: Math.max(height - headHeight, 0),
})

const layOut = ({ top, offset, height, width }: View, beyond: number, options: Options) => {
  const { count, rowHeight } = options
  const lengths = lengthsOf(height, options)
  const { whole, room } = lengths
  const spacer = spacerOf(lengths)
  // The offset may be that of a longer list that was shown before.
  const within = Math.min(offset, whole - spacer)
  const inView = Math.floor(Math.min(top + within, Math.max(whole - room, 0)) / rowHeight)
  const first = Math.max(inView - beyond, 0)
  const end = Math.min(inView + Math.ceil(room / rowHeight) + 1 + beyond, count)
  const base = Math.floor(first / rowsOfBase) * rowsOfBase
  return { spacer, first, end, width, base, start: base * rowHeight - within }
}
