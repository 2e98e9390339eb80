/** What a user may do with a record, and what decides it, as the service explains it. */
import { queryOptions } from '@tanstack/react-query'
import type { AccessExplanation } from '../../../src/api/access/explain-access.ts'
import { request } from '../client.ts'
import { userKey } from '../queries.ts'

export type { AccessExplanation }

export type AccessQuestion = {
  readonly entityKey: string
  readonly entityId: number
  readonly userId: number
}

export const accessQuery = (question: AccessQuestion) =>
  queryOptions({
    queryKey: [userKey, 'admin', 'access', question],
    queryFn: ({ signal }) =>
      request<AccessExplanation>('/api/access/explain', {
        method: 'POST',
        body: question,
        signal,
      }),
  })
