/** Comparisons of conditions of reading by which an index finds the records of a user. */
import type { Column, Entity } from '../../definitions/catalog.ts'
import { type Condition, comparesIn } from '../criteria/criteria.ts'

/** The columns of a record of which a condition says that they have a value of the user. */
export const comparedWithCaller = (entity: Entity, condition: Condition): readonly Column[] =>
  comparesIn(condition).flatMap(({ field, operator, reference }) => {
    const isFound = operator === '$eq' || operator === '$in'
    if (!isFound || reference?.of !== 'caller') return []
    return entity.columnsByName.get(field) ?? entity.associations.get(field) ?? []
  })
