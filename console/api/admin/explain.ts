/** Whom an operation on a record would notify, what a user may do with a record, and why, as the service explains it. */
import { queryOptions } from '@tanstack/react-query'
import type { AccessExplanation } from '../../../src/api/access/explain-access.ts'
import type { NotifiedOperation } from '../../../src/definitions/operations.ts'
import type {
  ExplainedEntry,
  ExplainedRecipient,
  Explanation,
} from '../../../src/notify/explain.ts'
import { request } from '../client.ts'
import { userKey } from '../queries.ts'

export type { NotifiedOperation }

export type ExplainQuestion = {
  readonly entityKey: string
  readonly entityId: number
  readonly operation: NotifiedOperation
  /** Key of the action, of the operation `proceedToStep`. */
  readonly action?: string | undefined
  readonly actorId?: number | undefined
  /** The only user who is asked for. */
  readonly userId?: number | undefined
}

export type { ExplainedEntry, ExplainedRecipient, Explanation }

export const explainQuery = (question: ExplainQuestion) =>
  queryOptions({
    queryKey: [userKey, 'admin', 'explain', question],
    queryFn: ({ signal }) =>
      request<Explanation>('/api/notifications/explain', {
        method: 'POST',
        body: question,
        signal,
      }),
  })

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
