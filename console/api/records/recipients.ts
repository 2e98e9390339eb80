/** Whom something that the user may do would notify, as far as the user may know it. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { RecipientPreview } from '../../../src/notify/preview.ts'
import { request } from '../client.ts'
import { userKey } from '../queries.ts'

/** What would be done. */
export type Intent =
  | {
      readonly operation: 'proceedToStep'
      /** Key of the action. */
      readonly action: string
      readonly entityIds: readonly number[]
      /** Of its form, as far as they are typed. */
      readonly values?: Readonly<Record<string, unknown>>
    }
  | { readonly operation: 'takeOwnership'; readonly entityIds: readonly number[] }
  | { readonly operation: 'create'; readonly values: Readonly<Record<string, unknown>> }

export type Recipients = RecipientPreview

/** The most records that the service takes at once. */
export const maxRecords = 50

export const recipientsQuery = (entityKey: string, intent: Intent) =>
  queryOptions({
    queryKey: [userKey, 'recipients', entityKey, intent],
    queryFn: ({ signal }) =>
      request<Recipients>('/api/notifications/recipients', {
        method: 'POST',
        body: { entityKey, ...intent },
        signal,
      }),
    placeholderData: keepPreviousData,
    // What it says is looked at shortly before it happens.
    staleTime: 0,
    retry: false,
  })
