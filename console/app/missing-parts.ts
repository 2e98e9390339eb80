/**
 * A part of the console that could not be loaded when it was needed: the page is older than the service and the service has
 * the file no more, or the service is away. Browsers remember that a file failed, so the page is loaded again when the
 * service answers, once in a minute. Drafts are in the storage of the browser, so none is lost.
 */
import { basePath } from '../api/client.ts'

const markName = 'docket.reloaded'
// If the file is missing after that too, loading again does not help.
const pauseMs = 60_000

const missing = new Set<unknown>()

/** Whether an error says that a part of the console could not be loaded. */
export const isPartMissing = (error: unknown): boolean => missing.has(error)

/** Loads the page again if the service answers, once in a minute at most. */
export const reloadIfAnswering = async (): Promise<void> => {
  try {
    const { ok } = await fetch(`${basePath}/api/health/live`, { cache: 'no-store' })
    if (!ok || Date.now() - Number(sessionStorage.getItem(markName)) < pauseMs) return
    sessionStorage.setItem(markName, `${Date.now()}`)
    window.location.reload()
  } catch {
    // The service is away; or the browser stores nothing, and drafts would be lost.
  }
}

/** Notes which parts could not be loaded. */
export const noteMissingParts = (): void =>
  window.addEventListener('vite:preloadError', ({ payload }) => missing.add(payload))
