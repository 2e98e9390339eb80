/** A page that was just opened has the focus as a whole; this passes it on to what users come for. */
import { type RefObject, useEffect } from 'react'

/** The first field of a form that does not come filled in. */
export const firstField = (form: Element | null): HTMLElement | null | undefined => {
  const field = ':is(input, select, textarea)'
  return form?.querySelector<HTMLElement>(`:not([data-given] *)${field}`)
}

/** Gives it to the element, or to the first field of a form. */
export const usePageFocus = (element: RefObject<HTMLElement | null>): void =>
  useEffect(() => {
    const pass = () => {
      if (!document.activeElement?.matches('main')) return
      const { current } = element
      const target = current instanceof HTMLFormElement ? firstField(current) : current
      target?.focus({ preventScroll: true })
    }
    // The page gets it after what it shows is there.
    const timer = setTimeout(pass)
    return () => clearTimeout(timer)
  }, [element])
