/** `GET /api/search` in tests: the reply that contains what every entity holds. */
import type { TestService } from '../../support/service.ts'
import { until } from '../../support/wait.ts'

/**
 * Repeats a request until every entity but the `incomplete` ones was searched to the end. On a busy machine a search may
 * exceed its time limit, which is part of the product.
 */
export const completeSearch = (
  service: TestService,
  query: string,
  as?: string,
  incomplete: readonly string[] = [],
) =>
  until(`/api/search?${query} searches every entity to the end`, async () => {
    const reply = await service.ask('GET', `/api/search?${query}`, { as })
    if (reply.status !== 200) return reply
    const named: string[] = reply.json().incomplete
    return named.every((key) => incomplete.includes(key)) && reply
  })
