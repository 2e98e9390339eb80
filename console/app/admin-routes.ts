/** The addresses of the administration. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { parseDeliverySearch } from '../features/deliveries/delivery-search.ts'
import { parseExplainSearch } from '../features/explain/explain-search.ts'
import { parseJobSearch } from '../features/jobs/job-search.ts'
import { rootRoute } from './root-route.ts'

const deliveriesRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/-/admin/deliveries',
  validateSearch: parseDeliverySearch,
  component: lazyRouteComponent(() => import('../pages/admin/deliveries.tsx'), 'Deliveries'),
})

const deliveryRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/-/admin/deliveries/$id',
  component: lazyRouteComponent(() => import('../pages/admin/delivery.tsx'), 'Delivery'),
})

const jobsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/-/admin/jobs',
  validateSearch: parseJobSearch,
  component: lazyRouteComponent(() => import('../pages/admin/jobs.tsx'), 'Jobs'),
})

const explainRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/-/admin/explain',
  validateSearch: parseExplainSearch,
  component: lazyRouteComponent(() => import('../pages/admin/explain.tsx'), 'Explain'),
})

export const adminRoutes = [deliveriesRoute, deliveryRoute, jobsRoute, explainRoute] as const
