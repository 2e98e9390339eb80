/** Which records that link to one the caller may create: what the page of that one offers. */
import type { Queryable } from '../database/pool.ts'
import { getEntity } from '../definitions/catalog.ts'
import { isPartOfRecord } from '../definitions/native-entities.ts'
import { conditionThrough } from '../query/conditions/condition-through.ts'
import { findUnmet, parsedCondition } from '../query/conditions/decide-conditions.ts'
import { deciderOf, type RightsAsked } from './record-rights.ts'

/**
 * By one-to-many association: whether the caller may create a record that links to this one. What a condition demands
 * of the fields of the new record is not known yet, and does not count.
 */
export const findMayCreate = async (
  database: Queryable,
  asked: RightsAsked,
): Promise<Readonly<Record<string, boolean>>> => {
  const { catalog, permissions, caller, entity } = asked
  const { hiddenFields } = permissions.rightsOf(caller, entity)
  const lists = [...entity.oneToMany.values()]
    .filter(({ key }) => !hiddenFields.has(key))
    .map(({ key, entity: child, mappedBy }) => ({
      key,
      mappedBy,
      child: getEntity(catalog, child),
    }))
    .filter(({ child }) => child.isNative || permissions.touches(caller, child))
    .map((list) => ({ ...list, rights: permissions.rightsOf(caller, list.child) }))
  const conditional = lists.flatMap(({ key, mappedBy, rights }) => {
    const { create } = rights.conditions
    const through = create && conditionThrough(parsedCondition(create), mappedBy)
    return through ? [[key, through] as const] : []
  })
  const unmet = await findUnmet(database, deciderOf(asked), asked, new Map(conditional))
  return Object.fromEntries(
    lists.map(({ key, child, rights }) => [
      key,
      rights.create && !isPartOfRecord(child) && !unmet.has(key),
    ]),
  )
}
