/** Whom an operation on a record would notify, and why or why not, as the service explains it. */
import { queryOptions } from '@tanstack/react-query'
import type { NotifiedOperation } from '../../../src/definitions/operations.ts'
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

export type ExplainedRecipient = {
  readonly user: { readonly id: number; readonly full_name: string | null }
  readonly told: boolean
  /** Why not. */
  readonly reason: string | null
  /** What names the user. */
  readonly fields: readonly string[]
  readonly groups: readonly string[]
  /** Of users who are told. */
  readonly email?: { readonly told: boolean; readonly reason: string | null }
  readonly content?: {
    readonly title?: string | null
    readonly message?: string | null
    readonly due_date?: string | null
  }
  /** What the due date renders to, if that is no date. */
  readonly unread_due_date?: string
  /** Why the templates fail. */
  readonly fault?: string
}

export type ExplainedEntry = {
  readonly index: number
  readonly matches: boolean
  /** Why it does not apply. */
  readonly reason?: string
  /** How many users it names. */
  readonly count?: number
  readonly missingGroups?: readonly string[]
  readonly recipients?: readonly ExplainedRecipient[]
}

export type Explanation = {
  /** Whether the definition has the hook that sends notifications. */
  readonly isActive: boolean
  readonly entries: readonly ExplainedEntry[]
}

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
