/** What each operation on a record needs of other records, before it is locked. */
import type { Entity } from '../../definitions/catalog.ts'
import type { SqlValue } from '../../definitions/values/check-value.ts'
import { conditionsOf, validationConditions } from './conditions.ts'
import type { WriteContext } from './write-context.ts'
import type { WriteNeeds } from './write-needs.ts'
import type { Values } from './write-statements.ts'

/** A value of a field that only the service writes. */
export const systemValue = (entity: Entity, name: string, value: SqlValue): Values => {
  const column = entity.columnsByName.get(name)
  if (!column) throw new Error(`The entity ${entity.key} has no column ${name}.`)
  return new Map([[column, value]])
}

const needsOfValues = (values: Values): WriteNeeds => ({
  columns: [...values.keys()].map(({ name }) => name),
  links: values,
  conditions: [],
})

export const needsOfNew = (context: WriteContext, values: Values): WriteNeeds => ({
  links: values,
  conditions: [...conditionsOf(context, 'create'), ...validationConditions(context)],
})

export const needsOfChange = (context: WriteContext, values: Values): WriteNeeds => ({
  ...needsOfValues(values),
  conditions: [
    ...conditionsOf(context, 'update'),
    ...validationConditions(context, [...values.keys()]),
  ],
})

export const needsOfRemoval = (context: WriteContext): WriteNeeds => ({
  columns: ['_is_deleted'],
  links: new Map(),
  conditions: conditionsOf(context, 'delete'),
})

export const needsOfOwnership = (context: WriteContext): WriteNeeds =>
  needsOfValues(systemValue(context.entity, '_owned_by', context.userId))
