/** What every address of the console stands below. */
import type { QueryClient } from '@tanstack/react-query'
import { createRootRouteWithContext } from '@tanstack/react-router'
import { NotFound } from '../pages/not-found.tsx'
import { Shell } from './shell.tsx'

export const rootRoute = createRootRouteWithContext<{ readonly client: QueryClient }>()({
  component: Shell,
  notFoundComponent: NotFound,
})
