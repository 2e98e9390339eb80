/** The addresses of the console; all pages but lists are loaded when the first page is there. */
import type { QueryClient } from '@tanstack/react-query'
import { createRoute, createRouter } from '@tanstack/react-router'
import { basePath } from '../api/client.ts'
import { parseListSearch } from '../features/grid/list-state.ts'
import { preloadRows } from '../features/grid/use-rows.ts'
import { parseHistorySearch, parseNewRecordSearch } from '../features/record/record-search.ts'
import { whenIdle } from '../features/session/when-used.ts'
import { Waiting } from '../parts/notes.tsx'
import { adminRoutes } from './admin-routes.ts'
import { focusPage } from './focus-page.ts'
import { PageProblem } from './kept/page-problem.tsx'
import { loadRecordPage } from './kept/record-page.ts'
import { lazyPage } from './lazy-page.ts'
import { withTexts } from './page-with-texts.ts'
import { rootRoute } from './root-route.ts'
import { loadWorkPages, workRoutes } from './work-routes.ts'

const signedInRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/-/login',
  component: lazyPage(() => import('./opened-link.tsx'), 'OpenedLink'),
})

const listRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/$entity',
  validateSearch: parseListSearch,
  loaderDeps: ({ search }) => search,
  loader: ({ context, params, deps }) => preloadRows(context.client, params.entity, deps),
  // Rendered by what keeps it.
  component: () => null,
})

const newRecordRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/$entity/new',
  validateSearch: parseNewRecordSearch,
  component: lazyPage(() => withTexts(import('../pages/new-record.tsx')), 'NewRecord'),
})

const recordRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/$entity/$id',
  validateSearch: parseHistorySearch,
  // Loaded with the page that it reads for, and rendered by what keeps it.
  loader: async ({ context, params }) => {
    const page = loadRecordPage()
    const { preloadRecord } = await loadReading()
    await Promise.all([page, preloadRecord(context.client, params)])
  },
  component: () => null,
})

const loadReading = () => import('../features/record/read-record.ts')

/**
 * Loads the files of all pages but the administration's, so that nobody waits for them and an outage of the service takes
 * none away. What is not loaded now is loaded, or explained, when it is needed.
 */
const loadAhead = () => Promise.all([loadRecordPage(), loadReading(), loadWorkPages()])

const routeTree = rootRoute.addChildren([
  ...workRoutes,
  ...adminRoutes,
  signedInRoute,
  listRoute,
  newRecordRoute,
  recordRoute,
])

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
    whenIdle(() => void loadAhead().catch(() => undefined))
  })
  return router
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createConsoleRouter>
  }
}
