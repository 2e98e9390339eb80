/**
 * Keeps the focus near the place where the user was when what had it is removed: otherwise those who work by keys would
 * begin again at the top of the page, and those who hear it would not know where they are.
 */

// What begins to do something when a key is pressed once more.
const controls = 'a[href], button, input, select, textarea, summary, [tabindex="0"]'

const isShown = (element: Element): boolean => {
  const { width, height } = element.getBoundingClientRect()
  return element.checkVisibility() && width > 1 && height > 1
}

/** What can take the focus beside the removed element: what stood before it, or what it was in. */
const placeOf = ({ target, previousSibling }: MutationRecord): HTMLElement | undefined => {
  const before = previousSibling instanceof HTMLElement ? previousSibling : undefined
  if (before?.isConnected && isShown(before) && !before.matches(controls)) return before
  for (let at: Node | null = target; at instanceof HTMLElement; at = at.parentElement) {
    if (at === document.body) return undefined
    if (at.isConnected && isShown(at)) return at
  }
  return undefined
}

const focusPlace = (place: HTMLElement): void => {
  if (!place.hasAttribute('tabindex')) {
    place.tabIndex = -1
    place.addEventListener('blur', () => place.removeAttribute('tabindex'), { once: true })
  }
  place.focus()
}

/** The part of the page that changes with its address. */
const mainPart = (): HTMLElement | null => document.querySelector('main')

/** Moves the focus to a page that was opened, unless it has taken it itself. */
export const focusPage = (): void => {
  const main = mainPart()
  if (main?.contains(document.activeElement) || document.querySelector('dialog:modal')) return
  main?.focus({ preventScroll: true })
}

/** Begins to keep it, as long as keys are what the user works by. */
export const keepFocus = (): void => {
  let last: Element | undefined
  let isByKeys = false
  document.addEventListener('focusin', ({ target }) => {
    if (target instanceof Element) last = target
  })
  document.addEventListener('focusout', () =>
    queueMicrotask(() => {
      // The user has left it.
      if (last?.isConnected && document.activeElement === document.body) last = undefined
    }),
  )
  document.addEventListener(
    'keydown',
    () => {
      isByKeys = true
    },
    true,
  )
  document.addEventListener(
    'pointerdown',
    () => {
      isByKeys = false
    },
    true,
  )
  const observer = new MutationObserver((records) => {
    if (!isByKeys || !last || last.isConnected || document.activeElement !== document.body) return
    const removed = records.find(({ removedNodes }) =>
      [...removedNodes].some((node) => node.contains(last ?? null)),
    )
    const place = (removed && placeOf(removed)) ?? mainPart()
    if (place) focusPlace(place)
  })
  observer.observe(document.body, { childList: true, subtree: true })
}
