/** Reads a record with the linked records that its page names, also before the page is opened. */
import type { QueryClient } from '@tanstack/react-query'
import { actionsQuery, entitiesQuery } from '../../api/queries.ts'
import { recordQuery } from '../../api/record.ts'
import { commentsQuery } from '../../api/records/comments.ts'
import { documentsQuery } from '../../api/records/documents.ts'
import { historyQuery, historyStep } from '../../api/records/history.ts'
import type { Entity, Field, RecordRow } from '../../api/types.ts'
import { kindOf } from '../format/field-kinds.ts'
import { unitPathOf } from '../format/format-value.ts'

/** Resolves when the page can show the record; the page itself reports what cannot be read. */
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
    ...(entity.comments
      ? [client.prefetchQuery(commentsQuery({ entity: key, id }, historyStep))]
      : []),
    client.prefetchQuery(documentsQuery({ entity: key, id })),
  ])
}

/** The link to the record that has the unit of a number. */
const linkOfUnit = (field: Field): string[] => {
  const path = unitPathOf(field) ?? ''
  const end = path.lastIndexOf('.')
  return end > 0 ? [path.slice(0, end)] : []
}

/** The links whose records the page shows by name: those of the entity, and some of the system, such as the owner. */
export const includedLinks = (
  { fields }: Entity,
  entities: ReadonlyMap<string, Entity>,
  systemLinks: readonly string[] = [ownerColumn],
): string | undefined => {
  const mayRead = (key: string) => (entities.get(key)?.permissions.read ?? false) !== false
  const links = fields.filter(
    ({ type, entity: target, linkName, column, isSystem }) =>
      kindOf({ type }).isLink &&
      (linkName !== undefined || (target && mayRead(target))) &&
      (!isSystem || systemLinks.includes(column ?? '')),
  )
  const included = new Set([...links.map(({ key }) => key), ...fields.flatMap(linkOfUnit)])
  return included.size > 0 ? [...included].join(',') : undefined
}

/** The link of a record to its owner, and the property that has this user. */
export const ownerColumn = '_owned_by'
const ownerPlace = 'owned_by'

type Owner = { readonly id: number; readonly name: string | undefined }

/** Undefined where there is no owner, or the role hides it. */
export const ownerOf = (record: RecordRow): Owner | undefined => {
  const id = record[ownerColumn]
  if (typeof id !== 'number') return undefined
  const user = record[ownerPlace]
  const name = typeof user === 'object' && user !== null && 'full_name' in user && user.full_name
  return { id, name: typeof name === 'string' ? name : undefined }
}
