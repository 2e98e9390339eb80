/** The addresses of the administration. */
import { createRoute } from '@tanstack/react-router'
import { parseDeliverySearch } from '../features/administration/delivery-search.ts'
import { parseJobSearch } from '../features/administration/job-search.ts'
import { parseExplainSearch } from '../features/session/explain-search.ts'
import { lazyPage } from './lazy-page.ts'
import { withTexts } from './page-with-texts.ts'
import { rootRoute } from './root-route.ts'

const pages = async () => (await withTexts(import('../pages/admin/pages.ts'))).adminPages

const deliveriesRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/-/admin/deliveries',
  validateSearch: parseDeliverySearch,
  component: lazyPage(pages, 'Deliveries'),
})

const deliveryRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/-/admin/deliveries/$id',
  component: lazyPage(pages, 'Delivery'),
})

const jobsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/-/admin/jobs',
  validateSearch: parseJobSearch,
  component: lazyPage(pages, 'Jobs'),
})

const explainRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/-/admin/explain',
  validateSearch: parseExplainSearch,
  component: lazyPage(pages, 'Explain'),
})

const definitionsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/-/admin/definitions',
  component: lazyPage(pages, 'Definitions'),
})

const definitionRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/-/admin/definitions/$entity',
  validateSearch: ({ part }): { readonly part?: string } =>
    typeof part === 'string' ? { part } : {},
  component: lazyPage(pages, 'Definition'),
})

const rolesRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/-/admin/roles',
  component: lazyPage(pages, 'Roles'),
})

const roleRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/-/admin/roles/$role',
  component: lazyPage(pages, 'Role'),
})

const mailsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/-/admin/mail',
  component: lazyPage(pages, 'Mails'),
})

const mailRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/-/admin/mail/$name',
  component: lazyPage(pages, 'Mail'),
})

export const adminRoutes = [
  ...[deliveriesRoute, deliveryRoute, jobsRoute, explainRoute],
  ...[definitionsRoute, definitionRoute, rolesRoute, roleRoute, mailsRoute, mailRoute],
] as const
