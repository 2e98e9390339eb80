/** Finds the records that link to a found one: whoever looks for a supplier may mean its orders. */
import type { Queryable } from '../../database/pool.ts'
import type { Column } from '../../definitions/catalog.ts'
import type { PlannedCondition } from '../../query/select-plan.ts'
import { displayOf, type Found, type Place, select } from './find-in-entity.ts'

/** The first link of the definition that the caller may see: whom a record is about. */
export const mainLink = ({ entity, access }: Place): Column | undefined =>
  entity.columns.find(
    (column) => column.target !== undefined && !column.isSystem && access.maySee(entity, column),
  )

type Linked = {
  readonly link: Column
  /** What the linked records are called, by their ids. */
  readonly names: ReadonlyMap<number, string>
  readonly limit: number
}

/** The newest records of which the link leads to one of these. */
export const findByLink = async (
  database: Queryable,
  place: Place,
  { link, names, limit }: Linked,
): Promise<readonly Found[]> => {
  const field = link.field.key
  const named: PlannedCondition = {
    kind: 'compare',
    ref: { alias: 't', column: link },
    operator: '$in',
    values: [...names.keys()],
  }
  const step = { field, match: 'linked', named, link } as const
  const rows = await select(database, place, displayOf(place), step, limit)
  return rows.flatMap(({ id, display, link: linkedId }) => {
    const linked = names.get(Number(linkedId))
    const found = { entity: place.entity.key, id, display: display ?? String(id), field }
    return linked === undefined ? [] : [{ ...found, match: 'linked' as const, linked }]
  })
}
