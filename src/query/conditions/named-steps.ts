/** The steps that conditions of definitions name: one that no workflow has would let nothing through, without a word. */
import { findList, resolvePath } from '../../definitions/association-path.ts'
import type { Catalog, Entity } from '../../definitions/catalog.ts'
import { didYouMean } from '../../did-you-mean.ts'
import type { Issue } from '../../issues.ts'
import { type Condition, comparesIn, listsIn } from '../criteria/criteria.ts'

const naming: ReadonlySet<string> = new Set(['$eq', '$ne', '$in', '$nin'])

/** An issue for each value of `_step` that is no step, also of linked records and of those of one-to-many fields. */
export const unknownSteps = (
  catalog: Catalog,
  entity: Entity,
  condition: Condition,
): readonly Issue[] => [
  ...comparesIn(condition).flatMap(({ field, operator, value, reference, at }) => {
    if (reference || !naming.has(operator)) return []
    const result = resolvePath(catalog, entity, field)
    if ('message' in result || result.path.column.name !== '_step') return []
    const steps = (result.path.entity.definition.workflow?.steps ?? []).map(({ key }) => key)
    const unknown = [value].flat().find((one) => typeof one === 'string' && !steps.includes(one))
    if (typeof unknown !== 'string') return []
    const known = steps.map((step) => `"${step}"`).join(', ')
    return [{ path: at, message: `must be one of the steps ${known}${didYouMean(unknown, steps)}` }]
  }),
  ...listsIn(condition).flatMap(({ list: name, condition: within }) => {
    const list = findList(catalog, entity, name)
    return list ? unknownSteps(catalog, list.target, within) : []
  }),
]
