/** The focus of those who come to another page. */

/** The part of the page that changes with its address. */
export const mainPart = (): HTMLElement | null => document.querySelector('main')

/** Moves the focus to a page that was opened, unless it has taken it itself. */
export const focusPage = (): void => {
  const main = mainPart()
  if (main?.contains(document.activeElement) || document.querySelector('dialog:modal')) return
  main?.focus({ preventScroll: true })
}
