/** Reads a record before its page is opened: while somebody points at a link to it. */
import type { QueryClient } from '@tanstack/react-query'
import { actionsQuery, entitiesQuery } from '../../api/queries.ts'
import { recordQuery } from '../../api/record.ts'
import { documentsQuery } from '../../api/records/documents.ts'
import { historyQuery } from '../../api/records/history.ts'
import { includedLinks } from './included-links.ts'

/** Resolves when the page can show the record; what cannot be read is told by the page itself. */
export const preloadRecord = async (
  client: QueryClient,
  { entity: key, id: text }: { readonly entity: string; readonly id: string },
): Promise<void> => {
  const entities = client.getQueryData(entitiesQuery.queryKey)
  const entity = entities?.get(key)
  const id = Number(text)
  if (!entities || !entity || entity.permissions.read === false || !Number.isSafeInteger(id)) return
  await Promise.all([
    client.prefetchQuery(recordQuery(key, id, includedLinks(entity, entities))),
    client.prefetchQuery(actionsQuery(key, id)),
    client.prefetchQuery(historyQuery(key, id)),
    client.prefetchQuery(documentsQuery({ entity: key, id })),
  ])
}
