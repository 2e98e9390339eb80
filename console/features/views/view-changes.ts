/** The changes of saved views that have a dialog, and are loaded with it. */
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { request, searchRecords } from '../../api/client.ts'
import { userKey } from '../../api/queries.ts'
import type { RecordRow } from '../../api/types.ts'
import type { ListSearch } from '../grid/list-state.ts'
import { bodyOf, keyOf, type Sharing } from './views.ts'

/** Whom a view is for, and how that is shown. */
export type Audience = {
  readonly sharing: Sharing
  readonly roleId?: number
  readonly text: string
}

/** The roles with these keys, as far as the user may read them and thus link to them. */
export const rolesQuery = (keys: readonly string[]) =>
  queryOptions({
    queryKey: [userKey, 'views', { roles: keys }],
    queryFn: async ({ signal }) => {
      const body = { $where: { key: { $in: keys } }, $select: ['id', 'key'] }
      return (await searchRecords('security_role', body, { signal })).data
    },
  })

type NewView = {
  readonly name: string
  readonly sharing: Sharing
  readonly roleId: number | undefined
  readonly search: ListSearch
}

/** Creates, renames and removes views of an entity. */
export const useViewChanges = (entity: string) => {
  const client = useQueryClient()
  const onSuccess = () => client.invalidateQueries({ queryKey: keyOf(entity) })
  const create = useMutation({
    mutationFn: ({ name, sharing, roleId, search }: NewView) =>
      request<RecordRow>('/saved_view', {
        method: 'POST',
        body: {
          entity_key: entity,
          name,
          is_shared_with: sharing,
          ...bodyOf(search),
          ...(sharing === 'role' && { security_role_id: roleId }),
        },
      }),
    onSuccess,
  })
  const rename = useMutation({
    mutationFn: ({ id, name }: { readonly id: number; readonly name: string }) =>
      request(`/saved_view/${id}`, { method: 'PATCH', body: { name } }),
    onSuccess,
  })
  const remove = useMutation({
    mutationFn: (id: number) => request(`/saved_view/${id}`, { method: 'DELETE' }),
    onSuccess,
  })
  return { create, rename, remove }
}
