/** Whom an operation on a record would notify, and why or why not, as the service explains it. */
import { queryOptions } from '@tanstack/react-query'
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
