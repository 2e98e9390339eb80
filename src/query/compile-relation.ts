/** Compiles comparisons of two columns to SQL. */
import { allOf, ref, type Sql, sql } from '../database/sql.ts'
import { comparedKey } from './choice-order.ts'
import { operatorOf } from './criteria/operators.ts'
import type { ColumnRef, PlannedCondition } from './select-plan.ts'

/** It does not hold where one of the columns of `filled` is empty. */
export const compileRelation = ({
  ref: one,
  operator,
  other,
  filled,
}: Extract<PlannedCondition, { kind: 'relate' }>): Sql => {
  const { relation, comparesOrder = false } = operatorOf(operator)
  const key = comparesOrder ? comparedKey : named
  if (!relation) throw new Error(`${operator} does not compare columns.`)
  return allOf([
    ...filled.map((column) => sql`${named(column)} IS NOT NULL`),
    relation(key(one), key(other)),
  ])
}

const named = ({ alias, column }: ColumnRef): Sql => ref(column.name, alias)
