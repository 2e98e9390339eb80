/** What a link may lead to, `where` of a many-to-one field: it stands for a validation of the entity, with the key of the field. */
import type { EntityDefinition, ValidationDefinition } from '../schemas/entity-definition.ts'
import type { JsonPath, Sourced } from '../source-file.ts'
import { isObject } from '../values/check-value.ts'

const defaultMessage = 'is not one that this record may link to'

/** The definition with these validations after its own; what is found in one is found at its field. */
export const withLinkConditions = ({
  source,
  definition,
}: Sourced<EntityDefinition>): Sourced<EntityDefinition> => {
  const { fields, validations = [] } = definition
  const found = fields.flatMap((field, index) => {
    if (field.type !== 'manyToOne' || field.where === undefined) return []
    const { key, where, message = defaultMessage } = field
    return [{ index, validation: { key, condition: through(where, key), message, field: key } }]
  })
  if (found.length === 0) return { source, definition }
  const placeOf = (path: JsonPath): JsonPath => {
    const place = path[0] === 'validations' ? Number(path[1] ?? 0) - validations.length : -1
    const one = found[place]
    return one ? ['fields', one.index, 'where'] : path
  }
  return {
    source: { ...source, finding: (path, ...said) => source.finding(placeOf(path), ...said) },
    definition: {
      ...definition,
      validations: [...validations, ...found.map(({ validation }) => validation)],
    },
  }
}

/** Criteria on the linked record as those on the record that links to it, whose fields `$field` names. */
const through = (where: object, key: string): ValidationDefinition['condition'] =>
  Object.fromEntries(
    Object.entries(where).map(([name, value]) =>
      name.startsWith('$') ? [name, throughEach(value, key)] : [`${key}.${name}`, value],
    ),
  )

const throughEach = (value: unknown, key: string): unknown => {
  if (Array.isArray(value)) return value.map((one) => throughEach(one, key))
  return isObject(value) ? through(value, key) : value
}
