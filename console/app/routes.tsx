/** The addresses of the console, each with its page; all pages but lists are loaded when the first page is there. */
import type { QueryClient } from '@tanstack/react-query'
import { createRootRouteWithContext, createRoute } from '@tanstack/react-router'
import type { ComponentType, ReactNode } from 'react'
import { type TaskStatus, taskStatuses } from '../api/own/task-counts.ts'
import type { WantedApprovals } from '../api/records/approvals.ts'
import type { AdministrationPart } from '../api/types.ts'
import { parseAccountSearch, parseQueueSearch } from '../features/administration/admin-search.ts'
import { parseListSearch } from '../features/grid/list-state.ts'
import { preloadRows } from '../features/grid/use-rows.ts'
import { parseHistorySearch, parseNewRecordSearch } from '../features/record/record-search.ts'
import { parseFoundSearch, parseRemovedSearch } from '../features/search/found-search.ts'
import { asText, givenOf } from '../features/session/address-values.ts'
import { parseExplainSearch } from '../features/session/explain-search.ts'
import { mayDecide, mayRestore, type Session, useSession } from '../features/session/session.ts'
import { NotFound } from '../pages/not-found.tsx'
import { later } from '../parts/later.tsx'
import type { Texts } from '../texts/texts.ts'
import { RecordPage } from './kept-pages.tsx'
import { Shell } from './shell.tsx'

/** The filter of approvals in an address, which may say anything. */
const parseApprovalSearch = (search: Readonly<Record<string, unknown>>): WantedApprovals =>
  givenOf({ entity: asText(search.entity), action: asText(search.action) })

type TaskSearch = { readonly status?: TaskStatus }

/** The address of "My tasks", which may say anything. */
const parseTaskSearch = (search: Readonly<Record<string, unknown>>): TaskSearch => {
  const status = taskStatuses.find((one) => one === search.status)
  return status ? { status } : {}
}

const rootRoute = createRootRouteWithContext<{ readonly client: QueryClient }>()({
  component: Shell,
  notFoundComponent: NotFound,
})

const below = { getParentRoute: () => rootRoute } as const

// Lists and records are rendered by what keeps them.
const renderedElsewhere = () => null

const listRoute = createRoute({
  ...below,
  path: '/$entity',
  validateSearch: parseListSearch,
  loaderDeps: ({ search }) => search,
  loader: ({ context, params, deps }) => preloadRows(context.client, params.entity, deps),
  component: renderedElsewhere,
})

const recordRoute = createRoute({
  ...below,
  path: '/$entity/$id',
  validateSearch: parseHistorySearch,
  // Loaded with the page that it reads for.
  loader: async ({ context, params }) => {
    const page = RecordPage.preload()
    const { preloadRecord } = await import('../features/record/read-record.ts')
    await Promise.all([page, preloadRecord(context.client, params)])
  },
  component: renderedElsewhere,
})

const newRecordRoute = createRoute({
  ...below,
  path: '/$entity/new',
  validateSearch: parseNewRecordSearch,
  component: later(async () => (await import('../pages/new-record.tsx')).NewRecord),
})

const importRoute = createRoute({
  ...below,
  path: '/$entity/import',
  validateSearch: ({ run }): { readonly run?: number } => (typeof run === 'number' ? { run } : {}),
  component: later(async () => (await import('../pages/import.tsx')).loadImport(), false),
})

const signedInRoute = createRoute({
  ...below,
  path: '/-/login',
  component: later(async () => (await import('./opened-link.tsx')).OpenedLink),
})

/** What waits for the user, and what they set for themselves. */
const workRoutes = [
  createRoute({
    ...below,
    path: '/',
    component: later(async () => (await import('../pages/day.tsx')).Day),
    staticData: { page: { place: 'work', title: ({ day }) => day.title, keys: 'g d' } },
  }),
  createRoute({
    ...below,
    path: '/-/inbox',
    component: later(async () => (await import('../pages/inbox.tsx')).Inbox),
    staticData: { page: { place: 'work', title: ({ inbox }) => inbox.title, keys: 'g i' } },
  }),
  createRoute({
    ...below,
    path: '/-/approvals',
    validateSearch: parseApprovalSearch,
    component: later(async () => (await import('../pages/approvals.tsx')).Approvals),
    staticData: {
      page: {
        place: 'work',
        title: ({ approvals }) => approvals.title,
        keys: 'g a',
        isFor: mayDecide,
      },
    },
  }),
  createRoute({
    ...below,
    path: '/-/tasks',
    validateSearch: parseTaskSearch,
    component: later(async () => (await import('../pages/tasks.tsx')).Tasks),
    staticData: { page: { place: 'work', title: ({ tasks }) => tasks.title, keys: 'g t' } },
  }),
  createRoute({
    ...below,
    path: '/-/removed',
    validateSearch: parseRemovedSearch,
    component: later(async () => (await import('../pages/removed.tsx')).Removed),
    staticData: {
      page: {
        place: 'work',
        title: ({ removed }) => removed.title,
        keys: 'g r',
        isFor: mayRestore,
      },
    },
  }),
  createRoute({
    ...below,
    path: '/-/changes',
    component: later(async () => (await import('../pages/own-changes.tsx')).OwnChanges),
    staticData: { page: { place: 'user', title: ({ record }) => record.ownChanges, keys: 'g u' } },
  }),
  createRoute({
    ...below,
    path: '/-/settings',
    component: later(async () => (await import('../pages/settings.tsx')).Settings),
    staticData: { page: { place: 'user', title: ({ settings }) => settings.title, keys: 'g s' } },
  }),
  createRoute({
    ...below,
    path: '/-/search',
    validateSearch: parseFoundSearch,
    component: later(async () => (await import('../pages/search.tsx')).Search),
  }),
] as const

type Parts = readonly AdministrationPart[]

const mayOpen = ({ me }: Session, parts: Parts): boolean =>
  parts.some((part) => me.administration.includes(part))

/**
 * A page for users who may open a part of the administration; for others there is no such page. Few users open it, so it is
 * not loaded ahead.
 */
const adminPage = (load: () => Promise<ComponentType>, ...parts: Parts) => {
  const Page = later(load, false)
  return Object.assign((): ReactNode => (mayOpen(useSession(), parts) ? <Page /> : <NotFound />), {
    preload: Page.preload,
  })
}

/** A page of the navigation for those who may open a part of the administration. */
const administration = (name: keyof Texts['administration'], ...parts: Parts) =>
  ({
    page: {
      place: 'administration',
      title: (texts: Texts) => texts.administration[name],
      isFor: (session: Session) => mayOpen(session, parts),
    },
  }) as const

const adminRoutes = [
  createRoute({
    ...below,
    path: '/-/admin/users',
    validateSearch: parseAccountSearch,
    component: adminPage(async () => (await import('../pages/admin/users.tsx')).Users, 'users'),
    staticData: administration('users', 'users'),
  }),
  createRoute({
    ...below,
    path: '/-/admin/deliveries',
    validateSearch: parseQueueSearch,
    component: adminPage(
      async () => (await import('../pages/admin/queue.tsx')).Queue,
      'deliveries',
      'jobs',
    ),
    staticData: administration('queue', 'deliveries', 'jobs'),
  }),
  createRoute({
    ...below,
    path: '/-/admin/deliveries/$id',
    component: adminPage(
      async () => (await import('../pages/admin/delivery.tsx')).Delivery,
      'deliveries',
    ),
  }),
  createRoute({
    ...below,
    path: '/-/admin/audit',
    // The page reads it.
    validateSearch: (search: Readonly<Record<string, unknown>>) => search,
    component: adminPage(async () => (await import('../pages/admin/audit.tsx')).Audit, 'audit'),
    staticData: administration('audit', 'audit'),
  }),
  createRoute({
    ...below,
    path: '/-/admin/explain',
    validateSearch: parseExplainSearch,
    component: adminPage(
      async () => (await import('../pages/admin/explain.tsx')).Explain,
      'explain',
    ),
    staticData: administration('explain', 'explain'),
  }),
  // Reached from a record.
  createRoute({
    ...below,
    path: '/-/admin/access',
    validateSearch: parseExplainSearch,
    component: adminPage(
      async () => (await import('../pages/admin/explain.tsx')).Access,
      'explain',
    ),
  }),
  createRoute({
    ...below,
    path: '/-/admin/definitions',
    component: adminPage(
      async () => (await import('../pages/admin/definitions.tsx')).Definitions,
      'definitions',
    ),
    staticData: administration('definitions', 'definitions'),
  }),
  createRoute({
    ...below,
    path: '/-/admin/definitions/$entity',
    validateSearch: ({ part }): { readonly part?: string } =>
      typeof part === 'string' ? { part } : {},
    component: adminPage(
      async () => (await import('../pages/admin/definitions.tsx')).Definition,
      'definitions',
    ),
  }),
  createRoute({
    ...below,
    path: '/-/admin/roles',
    component: adminPage(
      async () => (await import('../pages/admin/roles.tsx')).Roles,
      'definitions',
    ),
    // They are made of the same answers as the definitions.
    staticData: administration('roles', 'definitions'),
  }),
  createRoute({
    ...below,
    path: '/-/admin/roles/$role',
    component: adminPage(
      async () => (await import('../pages/admin/roles.tsx')).Role,
      'definitions',
    ),
  }),
  createRoute({
    ...below,
    path: '/-/admin/mail',
    component: adminPage(async () => (await import('../pages/admin/mails.tsx')).Mails, 'mail'),
    staticData: administration('mail', 'mail'),
  }),
  createRoute({
    ...below,
    path: '/-/admin/mail/$name',
    component: adminPage(async () => (await import('../pages/admin/mails.tsx')).Mail, 'mail'),
  }),
] as const

export const routeTree = rootRoute.addChildren([
  ...workRoutes,
  ...adminRoutes,
  signedInRoute,
  listRoute,
  newRecordRoute,
  importRoute,
  recordRoute,
])
