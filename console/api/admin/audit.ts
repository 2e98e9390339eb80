/** The audit: who did what, and when. */
import { infiniteQueryOptions, keepPreviousData } from '@tanstack/react-query'
import type { AuditEntry } from '../../../src/api/audit/read-audit.ts'
import type { AuditedSignInWay, AuditKind } from '../../../src/audit/audit-kinds.ts'
import type { RecordOperation } from '../../../src/definitions/operations.ts'
import { open, request } from '../client.ts'
import { userKey } from '../queries.ts'

export type { AuditEntry, AuditedSignInWay }
export type EntryKind = RecordOperation | AuditKind

/** What the list and its file are narrowed down to; times are those of the service. */
export type AuditQuery = {
  readonly user?: number | undefined
  readonly kind?: string | undefined
  readonly entity?: string | undefined
  readonly record?: number | undefined
  readonly from?: string | undefined
  readonly to?: string | undefined
}

type Page = { readonly data: readonly AuditEntry[]; readonly next: string | null }

export const auditQuery = (filter: AuditQuery) =>
  infiniteQueryOptions({
    queryKey: [userKey, 'admin', 'audit', filter],
    queryFn: ({ signal, pageParam }) => {
      const query = { ...filter, limit: 50, ...(pageParam !== '' && { after: pageParam }) }
      return request<Page>('/api/audit', { query, signal })
    },
    initialPageParam: '',
    getNextPageParam: ({ next }) => next ?? undefined,
    placeholderData: keepPreviousData,
  })

/** The file of all entries, which is read as it comes. */
export const openAuditFile = (filter: AuditQuery): Promise<Response> =>
  open('/api/audit/export', {
    method: 'POST',
    query: { ...filter, format: 'csv' },
    headers: { Accept: 'text/csv' },
  })
