/** The way from a saved view that was found by its name to its list. */
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { factsQuery } from '../../api/records/found.ts'

/** The entity of saved views. */
export const viewEntity = 'saved_view'

/** Opens the list of a view with what the view holds; its record, where nothing says which list that is. */
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
