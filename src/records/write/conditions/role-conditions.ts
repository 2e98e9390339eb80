/** Conditions of a role on the records that it may write, decided by the database that has the record. */
import type { Queryable } from '../../../database/pool.ts'
import type { ConditionalRight } from '../../../definitions/schemas/role-definition.ts'
import { apiError } from '../../../errors.ts'
import {
  comparedPaths,
  printCompared,
  withMessage,
} from '../../../query/conditions/compared-paths.ts'
import { findUnmet, parsedCondition } from '../../../query/conditions/decide-conditions.ts'
import type { Condition } from '../../../query/criteria/criteria.ts'
import type { WriteContext } from '../write-context.ts'

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
