/**
 * Conditions of a write, decided by the database that has the record: those of a role on the records that it may write,
 * and the validations of an entity, which a record meets once it is written.
 */
import type { Queryable } from '../../database/pool.ts'
import type { Column, Entity } from '../../definitions/catalog.ts'
import type { ValidationDefinition } from '../../definitions/schemas/entity-definition.ts'
import type { ConditionalRight } from '../../definitions/schemas/role-definition.ts'
import { apiError } from '../../errors.ts'
import { comparedPaths, printCompared, withMessage } from '../../query/conditions/compared-paths.ts'
import { findUnmet, parsedCondition } from '../../query/conditions/decide-conditions.ts'
import { validationCondition } from '../../query/conditions/validation-condition.ts'
import { type Condition, fieldsIn } from '../../query/criteria/criteria.ts'
import type { FieldIssue } from './check-values.ts'
import type { WriteContext } from './write-context.ts'
import { WriteRejected } from './write-rejected.ts'

/** The condition of a permission, as a list of one or none. */
export const conditionsOf = (
  { conditions }: Pick<WriteContext, 'conditions'>,
  right: ConditionalRight,
): readonly Condition[] => {
  const definition = conditions[right]
  return definition ? [parsedCondition(definition)] : []
}

/**
 * Throws an error 403 unless the record meets the condition of the permission, if it has one. Of a locked record it is
 * asked by a statement after the lock, which sees what the last writer has committed.
 */
export const requireCondition = async (
  database: Queryable,
  context: WriteContext,
  right: ConditionalRight,
  id: number,
  /** Whether the caller has already written the record, in the same transaction. */
  when: 'before' | 'after' = right === 'create' ? 'after' : 'before',
): Promise<void> => {
  const [condition] = conditionsOf(context, right)
  if (!condition) return
  const { entity } = context
  const unmet = await findUnmet(database, context, { entity, id }, new Map([[right, condition]]))
  if (unmet.size === 0) return
  const on = printCompared(comparedPaths(context, condition))
  const record = right === 'create' ? `this record of ${entity.key}` : `${entity.key} ${id}`
  const would = when === 'after' ? 'would not hold then' : 'does not hold'
  throw apiError(
    'caller.condition-not-met',
    withMessage(
      `The permission "${right}" of your role does not include ${record}: its condition${on} ${would}.`,
      context.messages[right],
    ),
  )
}

type Validation = { readonly definition: ValidationDefinition; readonly condition: Condition }

/** Those that a write of some columns may break; undefined: all columns. */
const validationsOf = (
  { definition, columnsByName, associations }: Entity,
  written: readonly Pick<Column, 'name'>[] | undefined,
): readonly Validation[] => {
  const names = written && new Set(written.map(({ name }) => name))
  const isAffected = (path: string): boolean => {
    const [first = ''] = path.split('.')
    const column = columnsByName.get(first) ?? associations.get(first)
    return column === undefined || column.isCalculated || names?.has(column.name) !== false
  }
  return (definition.validations ?? [])
    .map((one) => ({ definition: one, condition: validationCondition(one) }))
    .filter(({ condition }) => fieldsIn(condition).some(isAffected))
}

/** Their conditions, for the locks of a write. */
export const validationConditions = (
  { entity }: Pick<WriteContext, 'entity'>,
  written?: readonly Pick<Column, 'name'>[],
): readonly Condition[] => validationsOf(entity, written).map(({ condition }) => condition)

/**
 * Throws a WriteRejected with every validation that the record does not meet. It is asked after the write, in the same
 * transaction.
 */
export const requireValid = async (
  database: Queryable,
  context: WriteContext,
  id: number,
  {
    written,
    pathOf = (column) => column,
  }: {
    readonly written?: readonly Pick<Column, 'name'>[]
    /** The path of a column in the body; by default its name. */
    readonly pathOf?: (column: string) => string
  } = {},
): Promise<void> => {
  const { entity } = context
  const asked = new Map(
    validationsOf(entity, written).map(({ definition, condition }) => [definition, condition]),
  )
  const unmet = await findUnmet(database, context, { entity, id }, asked)
  if (unmet.size === 0) return
  const issues = [...unmet].map(({ key: validation, field = '', message }): FieldIssue => {
    const column = entity.columnsByName.get(field) ?? entity.associations.get(field)
    const isNamed = column !== undefined && !context.isHidden(column)
    return { path: isNamed ? pathOf(column.name) : '', message, validation, rule: 'refused' }
  })
  throw new WriteRejected(new Map(), issues)
}
