/** The router of the console: it preloads what is pointed at, and loads the other pages when the first one is shown. */
import type { QueryClient } from '@tanstack/react-query'
import { createRouter } from '@tanstack/react-router'
import { basePath } from '../api/client.ts'
import { loadAhead, whenIdle } from '../parts/later.tsx'
import { Waiting } from '../parts/notes.tsx'
import { PageProblem } from './page-problem.tsx'
import { routeTree } from './routes.tsx'

export const createConsoleRouter = (client: QueryClient) => {
  const router = createRouter({
    routeTree,
    basepath: `${basePath}/console`,
    context: { client },
    defaultPreload: 'intent',
    defaultPendingComponent: Waiting,
    defaultErrorComponent: PageProblem,
  })
  router.subscribe('onRendered', ({ fromLocation, pathChanged }) => {
    // A page that was just loaded has no focus that could be lost.
    if (pathChanged && (fromLocation || document.activeElement !== document.body)) focusPage()
  })
  const stopWaiting = router.subscribe('onRendered', () => {
    stopWaiting()
    // What cannot be loaded now is loaded, or explained, when it is needed.
    whenIdle(() => void loadAhead().catch(() => undefined))
  })
  return router
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createConsoleRouter>
  }
}

// The focus of those who come to another page.

/** The part of the page that changes with its address. */
export const mainPart = (): HTMLElement | null => document.querySelector('main')

/** Moves the focus to a page that was opened, unless it has taken it itself. */
const focusPage = (): void => {
  const main = mainPart()
  if (main?.contains(document.activeElement) || document.querySelector('dialog:modal')) return
  main?.focus({ preventScroll: true })
}
