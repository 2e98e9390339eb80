/** A page that was just opened has the focus as a whole; this passes it on to what users come for. */
import { type RefObject, useEffect } from 'react'

/** Gives it to the element, or to the first field of a form. */
export const usePageFocus = (element: RefObject<HTMLElement | null>): void =>
  useEffect(() => {
    const pass = () => {
      if (!document.activeElement?.matches('main')) return
      const { current } = element
      const first = current?.querySelector<HTMLElement>('input, select, textarea')
      const target = current instanceof HTMLFormElement ? first : current
      target?.focus({ preventScroll: true })
    }
    // The page gets it after what it shows is there.
    const timer = setTimeout(pass)
    return () => clearTimeout(timer)
  }, [element])
