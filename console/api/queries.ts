/** What the console reads, by query keys: everything of a user begins with the same key and goes at sign-out. */
import { keepPreviousData, QueryClient, queryOptions } from '@tanstack/react-query'
import { isOutage, pauseAfter } from './availability.ts'
import { ApiProblem, request, searchRecords, setValidationTexts } from './client.ts'
import type { OpenActions } from './open-actions.ts'
import type { Criteria, Entity, Me, ServiceConfig } from './types.ts'

export const createQueryClient = (): QueryClient =>
  new QueryClient({
    defaultOptions: {
      // Without a network requests fail and say so, instead of waiting unseen for one.
      mutations: { networkMode: 'always' },
      queries: {
        networkMode: 'always',
        staleTime: 15_000,
        gcTime: 10 * 60_000,
        // What is on the screen stays until the service is back.
        retry: (_failures, error) => isOutage(error),
        retryDelay: pauseAfter,
        refetchOnWindowFocus: true,
      },
    },
  })

/** The first key of everything that belongs to the user who is signed in. */
export const userKey = 'user'

/** What anybody may know of the service. */
export const configQuery = queryOptions({
  queryKey: ['config'],
  queryFn: ({ signal }) => request<ServiceConfig>('/console/-/config.json', { signal }),
  staleTime: Number.POSITIVE_INFINITY,
})

/** Whether the page came with a session, as the service wrote into it; the first question need not be sent without one. */
export const hasSession =
  document.querySelector<HTMLMetaElement>('meta[name="docket-session"]')?.content !== 'none'
let isSignedOut = !hasSession

export const meQuery = queryOptions({
  queryKey: [userKey, 'me'],
  queryFn: async ({ signal }) => {
    if (isSignedOut) {
      isSignedOut = false
      throw new ApiProblem(401, {})
    }
    // Asked when another request finds the session ended, so its own 401 asks nothing again.
    return request<Me>('/api/me', { signal, isSignIn: true })
  },
  staleTime: 60_000,
  // Another tab may have signed in as another user.
  refetchOnWindowFocus: 'always',
})

/** What is part of another record is written below that one, and only read as a record. */
const withoutParts = (entity: Entity): Entity =>
  entity.isPartOfRecord
    ? {
        ...entity,
        permissions: { ...entity.permissions, create: false, update: false, delete: false },
      }
    : entity

export const entitiesQuery = queryOptions({
  queryKey: [userKey, 'entities'],
  queryFn: async ({ signal }) => {
    const { data } = await request<{ data: readonly Entity[] }>('/api/entities', { signal })
    const entities = new Map(data.map((entity) => [entity.key, withoutParts(entity)]))
    setValidationTexts((key, list) => {
      const entity = entities.get(key)
      const lines = entity?.fields.find((field) => list !== undefined && field.key === list)?.entity
      const { validations } = (lines ? entities.get(lines) : entity) ?? {}
      return new Map(validations?.map((one) => [one.key, one.message]))
    })
    return entities
  },
  staleTime: 5 * 60_000,
})

export type ListRequest = {
  readonly entity: string
  readonly criteria: Omit<Criteria, '$count'>
}

/** How many records a list has in all. */
export const countQuery = ({ entity, criteria: { $where, $search } }: ListRequest) =>
  queryOptions({
    queryKey: [userKey, 'list', entity, { $where, $search }, 'count'],
    queryFn: async ({ signal }) => {
      const body = { $where, $search, $select: ['id'], $count: true }
      const page = await searchRecords(entity, body, { limit: 1, signal })
      return page.total ?? 0
    },
    placeholderData: keepPreviousData,
  })

/** Whether an active user can decide on a record; null where it waits for no decision. */
export const decidersQuery = (entity: string, id: number) =>
  queryOptions({
    queryKey: [userKey, 'record', entity, id, 'deciders'],
    queryFn: async ({ signal }) => {
      const query = { deciders: true }
      const actions = await request<OpenActions>(`/${entity}/${id}/actions`, { query, signal })
      return actions.hasDeciders ?? null
    },
  })

/** The step of a record, and what may be done in it. */
export const actionsQuery = (entity: string, id: number) =>
  queryOptions({
    queryKey: [userKey, 'record', entity, id, 'actions'],
    queryFn: ({ signal }) => request<OpenActions>(`/${entity}/${id}/actions`, { signal }),
  })

/** How many notifications the user has not seen. */
export const unseenQuery = queryOptions({
  queryKey: [userKey, 'inbox', 'unseen'],
  queryFn: async ({ signal }) => {
    const query = { status: 'unseen' }
    const { count } = await request<{ count: number }>('/api/notifications/count', {
      query,
      signal,
    })
    return count
  },
})

/** How many records wait for a decision of the user. */
export const approvalCountQuery = queryOptions({
  queryKey: [userKey, 'approvals', 'count'],
  queryFn: ({ signal }) =>
    request<{ readonly count: number; readonly isCapped: boolean }>('/api/approvals/count', {
      signal,
    }),
  refetchInterval: 60_000,
})

/**
 * Reads what the page shows again, in the language that is asked for now, and forgets the rest. Settings alone say the same in
 * every language.
 */
export const readInLanguage = (client: QueryClient): Promise<void> => {
  const predicate = ({ queryKey }: { readonly queryKey: readonly unknown[] }) =>
    queryKey[1] !== 'settings'
  client.removeQueries({ predicate, type: 'inactive' })
  return client.invalidateQueries({ predicate })
}

/** Forgets everything that belongs to a user, and reads again what the page shows. */
export const forgetUser = (client: QueryClient): Promise<void> =>
  client.resetQueries({ queryKey: [userKey] })
