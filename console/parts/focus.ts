/** Where the focus is, and the focus of a page that has changed. */
import { type RefObject, useEffect } from 'react'

export const focused = (element: HTMLElement | null): void => {
  // Which a dialog obeys that opens with it, after this.
  element?.setAttribute('autofocus', '')
  element?.focus()
}

/** The first field of a form that does not come filled in. */
export const firstField = (form: Element | null): HTMLElement | null | undefined => {
  const field = ':is(input, select, textarea)'
  return form?.querySelector<HTMLElement>(`:not([data-given] *)${field}`)
}

/** Gives it to the element, or to the first field of a form, when the page around it is opened or loaded. */
export const usePageFocus = (element: RefObject<HTMLElement | null>): void =>
  useEffect(() => {
    const pass = () => {
      if (!document.activeElement?.matches('main, body')) return
      const { current } = element
      const target = current instanceof HTMLFormElement ? firstField(current) : current
      target?.focus({ preventScroll: true })
    }
    // The page gets it after what it shows is there.
    const timer = setTimeout(pass)
    return () => clearTimeout(timer)
  }, [element])
