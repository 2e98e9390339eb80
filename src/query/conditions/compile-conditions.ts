/** Conditions of a definition on one record, compiled together: they share the joins to linked records. */

import { join, type Sql } from '../../database/sql.ts'
import { validationError } from '../../errors.ts'
import { fullAccess } from '../access.ts'
import { compileCondition, compileJoin } from '../compile-select.ts'
import type { Condition } from '../criteria/criteria.ts'
import { planCondition } from '../plan-condition.ts'
import type { Planning } from '../refer.ts'

type Options = Pick<Planning, 'catalog' | 'entity' | 'timeZone' | 'callerValues'> & {
  readonly conditions: readonly Condition[]
}

export type CompiledConditions = {
  /** What follows `FROM <table of the entity> t`. */
  readonly joins: Sql
  /** Whether each condition holds for the record `t`, in their order. */
  readonly conditions: readonly Sql[]
}

/** The service itself decides, so every field is visible to it. */
export const compileConditions = ({ conditions, ...options }: Options): CompiledConditions => {
  const planning: Planning = { ...options, access: fullAccess, joins: new Map(), issues: [] }
  const planned = conditions.map((condition) => planCondition(condition, planning))
  if (planning.issues.length > 0) throw validationError('criteria.invalid', planning.issues)
  return {
    joins: join([...planning.joins.values()].map(compileJoin), ''),
    conditions: planned.map(compileCondition),
  }
}
