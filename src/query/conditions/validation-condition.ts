/** The conditions of the validations of an entity. */
import type {
  EntityDefinition,
  ValidationDefinition,
} from '../../definitions/schemas/entity-definition.ts'
import { type Condition, comparesIn } from '../criteria/criteria.ts'
import { parsedCondition } from './decide-conditions.ts'

const relaxed = new WeakMap<ValidationDefinition, Condition>()

/**
 * What a record must match: the condition of a validation, or an empty value of a field that it compares, as a CHECK of SQL
 * holds for what is unknown. Where the condition itself names a field with null, empty is a value like others. Of the `where` of a
 * link, only this record may have empty values: the record that it leads to matches the criteria, or does not.
 */
export const validationCondition = (
  { fields }: Pick<EntityDefinition, 'fields'>,
  definition: ValidationDefinition,
): Condition => {
  const cached = relaxed.get(definition)
  if (cached) return cached
  const condition = parsedCondition(definition.condition)
  const compares = comparesIn(condition)
  const comparedWithNull = new Set(
    compares.flatMap(({ field, value, reference }) =>
      value === null && !reference ? [field] : [],
    ),
  )
  const compared = compares.flatMap(({ field, reference }) => [
    field,
    ...(reference?.of === 'record' ? [reference.path] : []),
  ])
  const link = fields.find(
    (field) => field.type === 'manyToOne' && field.where && field.key === definition.key,
  )?.key
  const empty = [...new Set(link === undefined ? compared : [link, ...compared])]
    .filter((field) => !comparedWithNull.has(field) && !field.startsWith(`${link}.`))
    .map(
      (field): Condition => ({
        kind: 'compare',
        field,
        operator: '$eq',
        value: null,
        at: '$where',
      }),
    )
  const made: Condition = { kind: 'or', conditions: [...empty, condition] }
  relaxed.set(definition, made)
  return made
}
