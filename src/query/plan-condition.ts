/** Plans conditions: names become columns, values are checked against them. */
import type { SqlValue } from '../definitions/values/check-value.ts'
import { addIssue, isFull } from '../issues.ts'
import type { Condition } from './criteria/criteria.ts'
import { operatorOf } from './criteria/operators.ts'
import { planRelation } from './plan-relation.ts'
import { type Planning, referWithEntity } from './refer.ts'
import type { PlannedCondition } from './select-plan.ts'

/** Adds an issue for each part that is wrong. */
export const planCondition = (condition: Condition, planning: Planning): PlannedCondition => {
  switch (condition.kind) {
    case 'and':
    case 'or':
      return {
        kind: condition.kind,
        conditions: condition.conditions.map((inner) => planCondition(inner, planning)),
      }
    case 'not':
      return { kind: 'not', condition: planCondition(condition.condition, planning) }
    case 'compare':
      return planComparison(condition, planning)
  }
}

const planComparison = (
  condition: Extract<Condition, { kind: 'compare' }>,
  planning: Planning,
): PlannedCondition => {
  const { field, operator, value, reference, at } = condition
  const found = referWithEntity(field, at, true, planning)
  if (!found) return { kind: 'never' }
  const { ref } = found
  const { fits, operand } = operatorOf(operator)
  if (!fits.includes(ref.column.type.comparison)) {
    const message = `a field of type ${ref.column.field.type} does not take ${operator}`
    addIssue(planning.issues, { path: at, message })
    return { kind: 'never' }
  }
  if (reference) return planRelation(found, { ...condition, reference }, planning)
  const values: SqlValue[] = []
  for (const [index, entry] of (operand.isList ? (value as unknown[]) : [value]).entries()) {
    if (isFull(planning.issues)) return { kind: 'never' }
    const verdict = operand.check(entry, ref.column, planning.timeZone)
    if ('value' in verdict) values.push(verdict.value)
    else
      addIssue(planning.issues, {
        path: operand.isList ? `${at}[${index}]` : at,
        message: verdict.message,
      })
  }
  return { kind: 'compare', ref, operator, values }
}

/** Whether a condition names `_is_deleted`: only then removed records may match. */
export const asksForRemoved = (condition: Condition): boolean => {
  switch (condition.kind) {
    case 'and':
    case 'or':
      return condition.conditions.some(asksForRemoved)
    case 'not':
      return asksForRemoved(condition.condition)
    case 'compare':
      return condition.field === '_is_deleted'
  }
}
