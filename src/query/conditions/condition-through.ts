/** A condition on records that link to one, as a condition on that one. */
import { type Condition, fieldsIn } from '../criteria/criteria.ts'

/**
 * What a condition demands of the record of an association. It is less than the whole condition if that compares other
 * fields too; undefined if nothing is certain.
 */
export const conditionThrough = (
  condition: Condition,
  association: string,
): Condition | undefined => {
  const start = `${association}.`
  if (fieldsIn(condition).every((field) => field.startsWith(start)))
    return withFields(condition, (field) => field.slice(start.length))
  if (condition.kind !== 'and') return undefined
  const certain = condition.conditions.flatMap((one) => conditionThrough(one, association) ?? [])
  return certain.length === 0 ? undefined : { kind: 'and', conditions: certain }
}

/** All that a condition compares of the record of an association, whether or not it demands it; undefined if it is nothing. */
export const askedThrough = (condition: Condition, association: string): Condition | undefined => {
  if (condition.kind === 'not') return askedThrough(condition.condition, association)
  if (condition.kind !== 'and' && condition.kind !== 'or')
    return conditionThrough(condition, association)
  const asked = condition.conditions.flatMap((one) => askedThrough(one, association) ?? [])
  return asked.length === 0 ? undefined : { kind: 'and', conditions: asked }
}

const withFields = (condition: Condition, nameOf: (field: string) => string): Condition => {
  if (condition.kind === 'compare') {
    const { field, reference } = condition
    const named = { ...condition, field: nameOf(field) }
    return reference?.of === 'record'
      ? { ...named, reference: { ...reference, path: nameOf(reference.path) } }
      : named
  }
  if (condition.kind === 'readable') return { ...condition, field: nameOf(condition.field) }
  // What its condition names are fields of other records.
  if (condition.kind === 'some') return { ...condition, list: nameOf(condition.list) }
  if (condition.kind === 'not')
    return { kind: 'not', condition: withFields(condition.condition, nameOf) }
  return { ...condition, conditions: condition.conditions.map((one) => withFields(one, nameOf)) }
}
