/** The pages of what waits for the user, and of what they set for themselves. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { parseTaskSearch } from '../features/tasks/task-search.ts'
import { rootRoute } from './root-route.ts'

const homeRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/',
  component: lazyRouteComponent(() => import('../pages/home.tsx'), 'Home'),
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

const tasksRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/-/tasks',
  validateSearch: parseTaskSearch,
  component: lazyRouteComponent(() => import('../pages/tasks.tsx'), 'Tasks'),
})

const settingsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/-/settings',
  component: lazyRouteComponent(() => import('../pages/settings.tsx'), 'Settings'),
})

export const workRoutes = [
  homeRoute,
  inboxRoute,
  approvalsRoute,
  tasksRoute,
  settingsRoute,
] as const
