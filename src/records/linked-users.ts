/** The users to whom the values in a history link, such as assignees: named by the same rule as those who act. */
import { type Queryable, queryRows } from '../database/pool.ts'
import { ints, sql, table } from '../database/sql.ts'
import type { Catalog, Entity } from '../definitions/catalog.ts'
import { mayBeNamed, type ShownEntry, type UnnamedEntry } from './history.ts'

type Owned = { readonly entity: Entity; readonly entry: UnnamedEntry }

/** Entries, each with the entity of its record, as answers show them: only what is shown of a change names its users. */
export const withUsers = async (
  database: Queryable,
  {
    catalog,
    reader,
  }: { readonly catalog: Catalog; readonly reader: Parameters<typeof mayBeNamed>[0] },
  entries: readonly Owned[],
): Promise<ShownEntry[]> => {
  const linked = entries.map((one) => linkedUsers(catalog, one))
  const names = await namesOf(database, reader, [...new Set(linked.flat())])
  return entries.map(({ entry }, at) => ({
    ...entry,
    users: [...new Set(linked[at])].map((id) => ({ id, full_name: names.get(id) ?? null })),
  }))
}

const linkedUsers = ({ entities }: Catalog, { entity, entry: { part, changes } }: Owned) => {
  const columns = (part ? entities.get(part.entity) : entity)?.columnsByName
  return Object.entries(changes).flatMap(([name, { before, after }]) =>
    columns?.get(name)?.target === 'user'
      ? [before, after].filter((id) => typeof id === 'number')
      : [],
  )
}

const namesOf = async (
  database: Queryable,
  reader: Parameters<typeof mayBeNamed>[0],
  ids: readonly number[],
): Promise<ReadonlyMap<number, string>> => {
  if (ids.length === 0) return new Map()
  const rows = await queryRows<{ readonly id: number; readonly full_name: string }>(
    database,
    sql`
    SELECT u.id, u.full_name
    FROM ${table('user')} u
    WHERE u.id = ANY (${ints(ids)}) AND ${mayBeNamed(reader, 'u')}`,
  )
  return new Map(rows.map(({ id, full_name: name }) => [id, name]))
}
