/** The pages of what waits for the user, and of what they set for themselves. */
import { createRoute } from '@tanstack/react-router'
import { parseApprovalSearch } from '../features/approvals/approval-search.ts'
import { parseFoundSearch } from '../features/search/found-search.ts'
import { parseTaskSearch } from '../features/tasks/task-search.ts'
import { lazyPage } from './lazy-page.ts'
import { withTexts } from './page-with-texts.ts'
import { rootRoute } from './root-route.ts'

export const loadWorkPages = async () =>
  (await withTexts(import('../pages/work-pages.ts'))).workPages

const dayRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/',
  component: lazyPage(loadWorkPages, 'Day'),
})

const inboxRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/-/inbox',
  component: lazyPage(loadWorkPages, 'Inbox'),
})

const approvalsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/-/approvals',
  validateSearch: parseApprovalSearch,
  component: lazyPage(loadWorkPages, 'Approvals'),
})

const tasksRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/-/tasks',
  validateSearch: parseTaskSearch,
  component: lazyPage(loadWorkPages, 'Tasks'),
})

const changesRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/-/changes',
  component: lazyPage(() => withTexts(import('../pages/own-changes.tsx')), 'OwnChanges'),
})

const searchRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/-/search',
  validateSearch: parseFoundSearch,
  component: lazyPage(() => withTexts(import('../pages/search.tsx')), 'Search'),
})

const settingsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/-/settings',
  component: lazyPage(() => withTexts(import('../pages/settings.tsx')), 'Settings'),
})

export const workRoutes = [
  dayRoute,
  inboxRoute,
  approvalsRoute,
  tasksRoute,
  changesRoute,
  searchRoute,
  settingsRoute,
] as const
