/** Saved views of a list: which there are, what they contain, how they change, and how they are opened. */
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useEffect } from 'react'
import { request, searchRecords } from '../../api/client.ts'
import { userKey } from '../../api/queries.ts'
import { factsQuery } from '../../api/records/found.ts'
import type { Condition, Entity, Me, RecordRow, Scope } from '../../api/types.ts'
import { isViewAlone, type ListSearch, parseListSearch } from '../grid/list-state.ts'
import { isObject } from '../session/address-values.ts'
import { useSession } from '../session/session.ts'

/** The entity of saved views. */
export const viewEntity = 'saved_view'

export type Sharing = 'me' | 'role' | 'all'

export type SavedView = {
  readonly id: number
  readonly name: string
  readonly sharing: Sharing
  /** The id of the user who made it. */
  readonly madeBy: unknown
  readonly search: ListSearch
}

const administratorRole = 'administrator'

/** An administrator may read every view as a record; a list offers those that are meant for them. */
export const meantFor = (me: Me): Condition => ({
  ...(me.role === administratorRole && {
    $or: [
      { _created_by: me.id },
      { is_shared_with: 'all' },
      { is_shared_with: 'role', 'security_role.key': { $in: me.roles.map(({ key }) => key) } },
    ],
  }),
})

const readView = (row: RecordRow): SavedView => {
  const criteria = isObject(row.criteria) ? row.criteria : {}
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

/** The key of the views of an entity. */
export const keyOf = (entity: string) => [userKey, 'views', entity] as const

/** The views of an entity that are meant for the user, by name. */
export const viewsQuery = (entity: string, me: Me) =>
  queryOptions({
    queryKey: keyOf(entity),
    queryFn: async ({ signal }) => {
      const body = { $where: { entity_key: entity, ...meantFor(me) }, $orderBy: ['name'] }
      const { data } = await searchRecords('saved_view', body, { limit: 200, signal })
      return data.map(readView)
    },
  })

/** What is stored of a list. */
export const bodyOf = ({ w, s, q, c }: ListSearch) => ({
  criteria: {
    // In an address, an empty filter means that there is none.
    ...(w && Object.keys(w).length > 0 && { $where: w }),
    ...(q !== undefined && { $search: q }),
    ...(s && { $orderBy: s }),
  },
  columns: c ?? null,
})

/** Whether a list shows something else than its view, or, without one, than the whole list. */
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

/** Saves what a list shows in one of its views. The other changes come with their dialogs. */
export const useSaveView = (entity: string) => {
  const client = useQueryClient()
  return useMutation({
    mutationFn: ({ id, search }: { readonly id: number; readonly search: ListSearch }) =>
      request(`/saved_view/${id}`, { method: 'PATCH', body: bodyOf(search) }),
    onSuccess: () => client.invalidateQueries({ queryKey: keyOf(entity) }),
  })
}

type Views = {
  /** Whether the user may have views at all. */
  readonly isAllowed: boolean
  /** Whether they are being read. */
  readonly isPending: boolean
  readonly all: readonly SavedView[]
  readonly current: SavedView | undefined
}

/** The views of a list that the user may open, and the one that is open. */
export const useViews = ({ key }: Entity, search: ListSearch): Views => {
  const { me, entities } = useSession()
  const isAllowed = entities.get(viewEntity)?.permissions.create === true
  const { data: all = [], isPending } = useQuery({ ...viewsQuery(key, me), enabled: isAllowed })
  const current = all.find(({ id }) => id === search.view)
  return { isAllowed, isPending: isAllowed && isPending, all, current }
}

/**
 * An address that names nothing but a view is replaced by what the view contains. True until then, while the view is read.
 */
export const useOpenedView = (
  entity: Entity,
  search: ListSearch,
  onOpen: (search: ListSearch) => void,
): boolean => {
  const { isPending, current } = useViews(entity, search)
  const isAlone = isViewAlone(search)
  const view = isAlone ? current : undefined
  useEffect(() => {
    if (view) onOpen(searchOf(view))
  }, [view, onOpen])
  return isAlone && (view !== undefined || isPending)
}

/** Opens the list of a view with what the view contains; or its record, if its list is not known. */
export const useOpenView = () => {
  const client = useQueryClient()
  const navigate = useNavigate()
  return async (id: number): Promise<void> => {
    const views = await client
      .fetchQuery(factsQuery(viewEntity, [id], ['entity_key']))
      .catch(() => undefined)
    const entity = views?.get(id)?.entity_key
    if (typeof entity === 'string')
      await navigate({ to: '/$entity', params: { entity }, search: { view: id } })
    else await navigate({ to: '/$entity/$id', params: { entity: viewEntity, id: `${id}` } })
  }
}
