/** Checks the validations of an entity: their keys and fields; the query planner checks their conditions. */
import { didYouMean } from '../../did-you-mean.ts'
import type { Entity } from '../catalog.ts'
import type { EntityDefinition } from '../schemas/entity-definition.ts'
import type { JsonPath } from '../source-file.ts'

type Add = (path: JsonPath, message: string) => void

export const checkValidations = (
  entity: Entity,
  { validations = [], extends: extended }: EntityDefinition,
  add: Add,
) => {
  // Their records are also written without a request for one: users at a sign-in, tasks with their record.
  if (extended === 'native' && validations.length > 0)
    add(['validations'], `are not possible for the native entity ${entity.key}`)
  const keys = validations.map(({ key }) => key)
  const known = [...entity.columnsByName.keys(), ...entity.associations.keys()]
  for (const [index, { key, field }] of validations.entries()) {
    if (keys.indexOf(key) < index) add(['validations', index, 'key'], `"${key}" is defined twice`)
    if (field !== undefined && !known.includes(field))
      add(
        ['validations', index, 'field'],
        `"${field}" is not a field of ${entity.key}${didYouMean(field, known)}`,
      )
  }
}
