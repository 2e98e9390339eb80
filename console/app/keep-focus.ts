/**
 * Keeps the focus near the place where the user was when what had it is removed: otherwise those who work by keys would
 * begin again at the top of the page, and users of screen readers would not know where they are.
 */
import { mainPart } from './router.tsx'

// What another press of a key activates.
const controls = 'a[href], button, input, select, textarea, summary, [tabindex="0"]'

const isShown = (element: Element): boolean => {
  const { width, height } = element.getBoundingClientRect()
  return element.checkVisibility() && width > 1 && height > 1
}

/** What can take the focus of the removed element: the element before it, or the one around it. */
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

const isLost = (): boolean => document.activeElement === document.body

/** Whether keys are what the user works by. */
const followKeys = (): (() => boolean) => {
  let isByKeys = document.activeElement?.matches(':focus-visible') === true
  for (const [event, isKey] of [
    ['keydown', true],
    ['pointerdown', false],
  ] as const)
    document.addEventListener(
      event,
      () => {
        isByKeys = isKey
      },
      true,
    )
  return () => isByKeys
}

const changesOfTree = { childList: true, subtree: true }
// React hides by its style what waits for something to be loaded, such as the texts of a part.
const changesOfTreeAndStyle = { ...changesOfTree, attributeFilter: ['style'] }

/** Begins to keep it, as long as keys are what the user works by. */
export const keepFocus = (): void => {
  const isByKeys = followKeys()
  const now = document.activeElement
  let last = now instanceof HTMLElement && now !== document.body ? now : undefined
  const observer = new MutationObserver((records) => {
    if (!isByKeys() || !last || !isLost()) return
    if (last.isConnected) {
      // It was hidden for a moment, and is there again.
      if (last.checkVisibility()) last.focus({ preventScroll: true })
      return
    }
    const removed = records.find(({ removedNodes }) =>
      [...removedNodes].some((node) => node.contains(last ?? null)),
    )
    const place = (removed && placeOf(removed)) ?? mainPart()
    if (place) focusPlace(place)
  })
  document.addEventListener('focusin', ({ target }) => {
    if (last && !last.checkVisibility()) observer.observe(document.body, changesOfTree)
    if (target instanceof HTMLElement) last = target
  })
  document.addEventListener('focusout', () =>
    queueMicrotask(() => {
      if (!last?.isConnected || !isLost()) return
      // The user has left what can still be seen.
      if (last.checkVisibility()) last = undefined
      else observer.observe(document.body, changesOfTreeAndStyle)
    }),
  )
  observer.observe(document.body, changesOfTree)
}
