/** API keys: those of the user, and for administrators those of others. */
import { queryOptions } from '@tanstack/react-query'
import type { NewApiKey, OwnApiKey } from '../../../src/api/people/key-endpoints.ts'
import { request, send } from '../client.ts'
import { userKey } from '../queries.ts'

export type { OwnApiKey }

const ownPath = '/console/-/keys'
const pathOf = (userId: number | undefined) =>
  userId === undefined ? ownPath : `/api/accounts/${userId}/keys`

/** Those of a user; undefined: one's own. */
export const keysQuery = (userId?: number) =>
  queryOptions({
    queryKey: [userKey, 'keys', userId],
    queryFn: async ({ signal }) =>
      (await request<{ data: readonly OwnApiKey[] }>(pathOf(userId), { signal })).data,
  })

export type WantedKey = {
  readonly name: string
  readonly scope?: string | undefined
  /** A day. */
  readonly until?: string | undefined
}

export const createKey = (body: WantedKey) => request<NewApiKey>(ownPath, { method: 'POST', body })

export const revokeKey = (id: number, userId?: number) =>
  send(`${pathOf(userId)}/${id}`, { method: 'DELETE' })
