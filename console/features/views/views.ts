/** Saved views of a list: what they hold, and what of an address they stand for. */
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { request } from '../../api/client.ts'
import { userKey } from '../../api/queries.ts'
import type { Condition, Me, RecordPage, RecordRow, Scope } from '../../api/types.ts'
import { type ListSearch, parseListSearch } from '../grid/list-state.ts'

export type Sharing = 'me' | 'role' | 'all'

export type SavedView = {
  readonly id: number
  readonly name: string
  readonly sharing: Sharing
  /** The user who made it. */
  readonly madeBy: unknown
  readonly search: ListSearch
}

const administratorRole = 'administrator'

/** An administrator may read every view as a record; here those that are meant for them. */
export const meantFor = (me: Me): Condition => ({
  ...(me.role === administratorRole && {
    $or: [
      { _created_by: me.id },
      { is_shared_with: 'all' },
      ...(typeof me.security_role_id === 'number'
        ? [{ is_shared_with: 'role', security_role: me.security_role_id }]
        : []),
    ],
  }),
})

const conditionOf = (entity: string, me: Me): Condition => ({
  entity_key: entity,
  ...meantFor(me),
})

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null

const readView = (row: RecordRow): SavedView => {
  const criteria = isRecord(row.criteria) ? row.criteria : {}
  return {
    id: row.id,
    name: String(row.name),
    sharing: row.is_shared_with as Sharing,
    madeBy: row._created_by,
    search: parseListSearch({
      w: criteria.$where,
      s: criteria.$orderBy,
      q: criteria.$search,
      c: row.columns,
    }),
  }
}

export const keyOf = (entity: string) => [userKey, 'views', entity] as const

/** The views of an entity that are meant for the user, by name. */
export const viewsQuery = (entity: string, me: Me) =>
  queryOptions({
    queryKey: keyOf(entity),
    queryFn: async ({ signal }) => {
      const body = { $where: conditionOf(entity, me), $orderBy: ['name'] }
      const { data } = await request<RecordPage>('/saved_view/search', {
        method: 'POST',
        query: { limit: 200 },
        body,
        signal,
      })
      return data.map(readView)
    },
  })

export const bodyOf = ({ w, s, q, c }: ListSearch) => ({
  criteria: {
    // An empty one says in an address that there is none.
    ...(w && Object.keys(w).length > 0 && { $where: w }),
    ...(q !== undefined && { $search: q }),
    ...(s && { $orderBy: s }),
  },
  columns: c ?? null,
})

/** What an address shows, whatever view it came from. */
export const contentOf = ({ view: _view, ...content }: ListSearch): ListSearch => content

/** Whether a list shows something else than its view, or without one than at the beginning. */
export const isChanged = (search: ListSearch, view: SavedView | undefined): boolean =>
  JSON.stringify(bodyOf(search)) !== JSON.stringify(bodyOf(view?.search ?? {}))

/** Whether the user may remove a view by this right. */
export const mayRemove = ({ madeBy }: SavedView, me: Me, right: Scope | undefined): boolean =>
  right === true || (right === 'own' && madeBy === me.id)

/** Whether the user may change a view by this right; one that others use only by the right to all. */
export const mayChange = (view: SavedView, me: Me, right: Scope | undefined): boolean =>
  mayRemove(view, me, right) && (view.sharing === 'me' || right === true)

/** The address of a view. */
export const searchOf = ({ id, search }: SavedView): ListSearch => ({ ...search, view: id })

/** A view with the name that it had before. */
export type Renamed = { readonly id: number; readonly before: string }

/** What is asked in a dialog, or said of a view that was renamed. */
export type Asked = 'save' | 'rename' | 'remove' | Renamed

/** Saves what a list shows in its view. */
export const useSaveView = (entity: string) => {
  const client = useQueryClient()
  return useMutation({
    mutationFn: ({ id, search }: { readonly id: number; readonly search: ListSearch }) =>
      request(`/saved_view/${id}`, { method: 'PATCH', body: bodyOf(search) }),
    onSuccess: () => client.invalidateQueries({ queryKey: keyOf(entity) }),
  })
}
