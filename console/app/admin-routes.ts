/** The addresses of the administration. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { parseDeliverySearch } from '../features/deliveries/delivery-search.ts'
import { parseExplainSearch } from '../features/explain/explain-search.ts'
import { parseJobSearch } from '../features/jobs/job-search.ts'
import { withTexts } from './page-with-texts.ts'
import { rootRoute } from './root-route.ts'

const pages = async () => (await withTexts(import('../pages/admin/pages.ts'))).adminPages

const deliveriesRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/-/admin/deliveries',
  validateSearch: parseDeliverySearch,
  component: lazyRouteComponent(pages, 'Deliveries'),
})

const deliveryRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/-/admin/deliveries/$id',
  component: lazyRouteComponent(pages, 'Delivery'),
})

const jobsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/-/admin/jobs',
  validateSearch: parseJobSearch,
  component: lazyRouteComponent(pages, 'Jobs'),
})

const explainRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/-/admin/explain',
  validateSearch: parseExplainSearch,
  component: lazyRouteComponent(pages, 'Explain'),
})

const definitionsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/-/admin/definitions',
  component: lazyRouteComponent(pages, 'Definitions'),
})

const definitionRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/-/admin/definitions/$entity',
  validateSearch: ({ part }): { readonly part?: string } =>
    typeof part === 'string' ? { part } : {},
  component: lazyRouteComponent(pages, 'Definition'),
})

const rolesRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/-/admin/roles',
  component: lazyRouteComponent(pages, 'Roles'),
})

const roleRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/-/admin/roles/$role',
  component: lazyRouteComponent(pages, 'Role'),
})

const mailsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/-/admin/mail',
  component: lazyRouteComponent(pages, 'Mails'),
})

const mailRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/-/admin/mail/$name',
  component: lazyRouteComponent(pages, 'Mail'),
})

export const adminRoutes = [
  ...[deliveriesRoute, deliveryRoute, jobsRoute, explainRoute],
  ...[definitionsRoute, definitionRoute, rolesRoute, roleRoute, mailsRoute, mailRoute],
] as const
