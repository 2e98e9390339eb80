/** What records are called, asked for in one search per entity. */
import { useQueries } from '@tanstack/react-query'
import { searchRecords } from './client.ts'
import { userKey } from './queries.ts'
import { byId } from './record.ts'
import type { Entity, Field } from './types.ts'

export type RecordPlace = {
  readonly entity: string
  readonly id: number
  /** A link that leads to it, over which it is named where it cannot be read. */
  readonly by?: { readonly owner: Entity; readonly field: Field }
}

export const placeKey = ({ entity, id }: RecordPlace): string => `${entity}/${id}`

/** For places that are shown before their names are read. */
export const noNames: ReadonlyMap<string, string> = new Map()

const namesQuery = (entity: Entity, ids: readonly number[]) => ({
  queryKey: [userKey, 'list', entity.key, 'names', ids],
  queryFn: async ({ signal }: { readonly signal: AbortSignal }) => {
    const { key, displayField } = entity
    const $where = byId({ $in: ids }, entity)
    const body = { $where, $select: [...new Set(['id', displayField])] }
    const page = await searchRecords(key, body, { limit: ids.length, signal })
    return page.data.map((row) => {
      const name = row[displayField]
      return [`${key}/${row.id}`, name === null || name === undefined ? '' : String(name)] as const
    })
  },
})

type NamesBy = Required<Pick<RecordPlace, 'by'>>['by']

/** The names of records that cannot be read, from those that link to them. */
const linkedNamesQuery = ({ owner, field }: NamesBy, ids: readonly number[]) => ({
  queryKey: [userKey, 'list', owner.key, 'names', field.key, ids],
  queryFn: async ({ signal }: { readonly signal: AbortSignal }) => {
    const column = field.column ?? field.key
    const path = `${field.key}.${field.linkName}`
    const body = { $where: { [column]: { $in: ids } }, $select: ['id'], $group: [column, path] }
    const { groups = [] } = await searchRecords(owner.key, body, { limit: 1, signal })
    return groups.map(
      ({ key }) => [`${field.entity}/${key[column]}`, String(key[path] ?? '')] as const,
    )
  },
})

/**
 * The names by place, without those of records that the user may not see or that are gone; undefined until all
 * have come.
 */
export const useRecordNames = (
  places: readonly RecordPlace[],
  entities: ReadonlyMap<string, Entity>,
): ReadonlyMap<string, string> | undefined => {
  const groups = Map.groupBy(places, ({ entity, by }) =>
    by?.field.linkName === undefined ? entity : `${by.owner.key}.${by.field.key}`,
  )
  const queries = [...groups.values()].flatMap((all) => {
    const [{ entity: key, by } = { entity: '' }] = all
    const ids = [...new Set(all.map(({ id }) => id))].sort((one, other) => one - other)
    if (by?.field.linkName !== undefined) return linkedNamesQuery(by, ids)
    const entity = entities.get(key)
    return entity && entity.permissions.read !== false ? namesQuery(entity, ids) : []
  })
  return useQueries({
    queries,
    combine: (results) =>
      results.every(({ isPending }) => !isPending)
        ? new Map(results.flatMap(({ data = [] }) => data))
        : undefined,
  })
}
