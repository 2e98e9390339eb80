/** What is better done before it is needed, and not before anybody is there. */

/** Calls it when the page has nothing else to do. */
// Safari has no idle callback.
export const whenIdle = (act: () => void): void => {
  if ('requestIdleCallback' in window) requestIdleCallback(act)
  else setTimeout(act, 200)
}

/** Calls it once: after the first move of the pointer, touch or key, when the page has nothing else to do. */
export const whenUsed = (act: () => void): void => {
  const begun = new AbortController()
  const { signal } = begun
  const begin = () => {
    begun.abort()
    whenIdle(act)
  }
  for (const event of ['pointermove', 'pointerdown', 'keydown'])
    window.addEventListener(event, begin, { signal, passive: true })
}
