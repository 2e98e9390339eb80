/** Whether the service or its database is away, as the reads of the page notice. */
import type { Query, QueryClient } from '@tanstack/react-query'
import { ApiProblem } from './client.ts'

/** Whether what was asked takes longer than the service lets it: another try would take as long. */
export const isTooSlow = (error: unknown): boolean =>
  error instanceof ApiProblem && error.code === 'request.too-slow'

/** Whether an error says that the service or its database is away or busy, so that another try may help. */
export const isOutage = (error: unknown): error is ApiProblem =>
  error instanceof ApiProblem &&
  (error.status === 0 || error.status === 502 || error.status === 503) &&
  !isTooSlow(error)

const longestPauseSeconds = 15

/** When to try again: as the service says, else after a growing pause. */
export const pauseAfter = (failures: number, error: Error): number =>
  ((isOutage(error) ? error.retryAfter : undefined) ??
    Math.min(2 ** failures, longestPauseSeconds)) * 1000

const isAffected = ({ state }: Query): boolean =>
  state.fetchStatus !== 'idle' && isOutage(state.fetchFailureReason)

/** Whether a read is waiting for the service. */
export const isServiceAway = (client: QueryClient): boolean =>
  client.getQueryCache().getAll().some(isAffected)

/** Calls the listener when that may have changed; what waits is read at once when the service is back. */
export const watchAvailability = (client: QueryClient, listener: () => void): (() => void) =>
  client.getQueryCache().subscribe((event) => {
    if (event.type === 'removed') return listener()
    if (event.type !== 'updated') return
    const { type } = event.action
    if (type === 'success' && isServiceAway(client))
      void client.refetchQueries({ type: 'active', predicate: isAffected })
    if (type === 'success' || type === 'failed' || type === 'fetch' || type === 'error') listener()
  })
