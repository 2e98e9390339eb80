/** The addresses of the console; each page is a file of its own, loaded when it is first opened. */
import type { QueryClient } from '@tanstack/react-query'
import { createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router'
import { basePath } from '../api/client.ts'
import { parseListSearch } from '../features/list/list-state.ts'
import { parseNewRecordSearch } from '../features/record/given-values.ts'
import { ProblemNote, Waiting } from '../parts/notes.tsx'
import { adminRoutes } from './admin-routes.ts'
import { rootRoute } from './root-route.ts'

const homeRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/',
  component: lazyRouteComponent(() => import('../pages/home.tsx'), 'Home'),
})

const listRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/$entity',
  validateSearch: parseListSearch,
  component: lazyRouteComponent(() => import('../pages/list.tsx'), 'List'),
})

const newRecordRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/$entity/new',
  validateSearch: parseNewRecordSearch,
  component: lazyRouteComponent(() => import('../pages/new-record.tsx'), 'NewRecord'),
})

const recordRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/$entity/$id',
  component: lazyRouteComponent(() => import('../pages/record.tsx'), 'Record'),
})

const inboxRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/-/inbox',
  component: lazyRouteComponent(() => import('../pages/inbox.tsx'), 'Inbox'),
})

const approvalsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/-/approvals',
  component: lazyRouteComponent(() => import('../pages/approvals.tsx'), 'Approvals'),
})

const settingsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/-/settings',
  component: lazyRouteComponent(() => import('../pages/settings.tsx'), 'Settings'),
})

const routeTree = rootRoute.addChildren([
  homeRoute,
  inboxRoute,
  approvalsRoute,
  ...adminRoutes,
  settingsRoute,
  listRoute,
  newRecordRoute,
  recordRoute,
])

export const createConsoleRouter = (client: QueryClient) =>
  createRouter({
    routeTree,
    basepath: `${basePath}/console`,
    context: { client },
    defaultPreload: 'intent',
    defaultPendingComponent: Waiting,
    defaultErrorComponent: ({ error, reset }) => (
      <ProblemNote
        error={error instanceof Error ? error : new Error(String(error))}
        onRetry={reset}
      />
    ),
  })

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createConsoleRouter>
  }
}
