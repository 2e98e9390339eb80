/** What the choices and steps of a record are called, for templates: `names.urgency` beside `record.urgency`. */
import { type Catalog, type Entity, namedEntity } from '../../definitions/catalog.ts'
import { hasValueNames, valueNamesOf } from '../../definitions/value-names.ts'

type Fields = Readonly<Record<string, unknown>>

/** The names at the places of their values in the record and its links, as far as `fields` has them. */
export const choiceNamesOf = (catalog: Catalog, entity: Entity, fields: object): Fields => {
  const given = fields as Fields
  const named = namedEntity(catalog, entity)
  const own = named.columns.filter(hasValueNames).flatMap((column) => {
    const value = given[column.name]
    if (typeof value !== 'string') return []
    return [[column.name, valueNamesOf(named, column).get(value) ?? value] as const]
  })
  const linked = [...entity.associations].flatMap(([key, column]) => {
    const target = catalog.entities.get(column.target ?? '')
    const link = given[key]
    if (!target || typeof link !== 'object' || link === null) return []
    return [[key, choiceNamesOf(catalog, target, link)] as const]
  })
  return Object.fromEntries([...own, ...linked])
}
