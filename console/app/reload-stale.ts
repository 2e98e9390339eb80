/** A page that is older than the service lacks files that the service has not any more: it is loaded anew, once. */
import { basePath } from '../api/client.ts'

const markName = 'docket.reloaded'
// If the file is missing after that too, loading again does not help.
const pauseMs = 60_000

const isAllowed = (): boolean => {
  try {
    const last = Number(sessionStorage.getItem(markName) ?? 0)
    sessionStorage.setItem(markName, String(Date.now()))
    return Date.now() - last > pauseMs
  } catch {
    return false
  }
}

/** While the service is away its files cannot be loaded either, and loading the page anew would lose the page. */
const isAnswering = async (): Promise<boolean> => {
  try {
    return (await fetch(`${basePath}/api/health/live`, { cache: 'no-store' })).ok
  } catch {
    return false
  }
}

/** Drafts are in the storage of the browser, so none is lost. */
export const reloadStalePages = (): void =>
  window.addEventListener('vite:preloadError', async () => {
    if ((await isAnswering()) && isAllowed()) window.location.reload()
  })
