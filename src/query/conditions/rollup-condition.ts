/**
 * The condition of a rollup on the records that it is calculated from. The result is stored, so it asks only what a write of
 * such a record decides: nothing that changes with other records, with the caller or with time.
 */
import type { Sql } from '../../database/sql.ts'
import type { Rollup } from '../../definitions/calculations/rollups.ts'
import type { Catalog } from '../../definitions/catalog.ts'
import { namesMovingTime } from '../../definitions/values/rules/moving-time-names.ts'
import { validationError } from '../../errors.ts'
import { addIssue, type Issue } from '../../issues.ts'
import { fullAccess } from '../access.ts'
import { compileCondition } from '../compile-select.ts'
import {
  type Condition,
  callerPathsIn,
  comparesIn,
  fieldsIn,
  listsIn,
  readableIn,
} from '../criteria/criteria.ts'
import { operatorOf } from '../criteria/operators.ts'
import { parseWhere } from '../criteria/parse-criteria.ts'
import { asksForRemoved, planCondition } from '../plan-condition.ts'
import { refuseSlowRecords } from '../select-budget.ts'
import type { PlannedCondition } from '../select-plan.ts'
import { parsedCondition } from './decide-conditions.ts'

/** What the definitions are read with. */
type Place = { readonly catalog: Catalog; readonly timeZone: string }

/** What the record under the alias has to meet to count; the definitions were checked. */
export const rollupConditions = (place: Place, rollup: Rollup, alias: string): readonly Sql[] => {
  if (!rollup.where) return []
  const issues: Issue[] = []
  const planned = plan(place, rollup, parsedCondition(rollup.where), { issues, alias })
  if (issues.length > 0) throw validationError('criteria.invalid', issues)
  return [compileCondition(planned)]
}

/** What is wrong with the condition of a rollup. */
export const rollupConditionIssues = (place: Place, rollup: Rollup): readonly Issue[] => {
  if (!rollup.where) return []
  const { condition, issues } = parseWhere(rollup.where, {
    namesCaller: true,
    asksReadable: true,
  })
  if (!condition || issues.length > 0) return issues
  const refused = refusedParts(rollup, condition)
  if (refused.length > 0) return refused
  const planned = plan(place, rollup, condition, { issues, alias: 'c' })
  refuseSlowRecords(planned, issues)
  return issues
}

const plan = (
  place: Place,
  { child }: Rollup,
  condition: Condition,
  { issues, alias }: { readonly issues: Issue[]; readonly alias: string },
): PlannedCondition =>
  planCondition(condition, {
    ...place,
    entity: child,
    access: fullAccess,
    joins: new Map(),
    followed: { count: 0, lists: 0 },
    issues,
    aliases: { start: alias, linked: `${alias}_l` },
  })

/** What a record of the child does not decide alone, and what to ask instead. */
const refusedParts = ({ child }: Rollup, condition: Condition): readonly Issue[] => {
  const issues: Issue[] = []
  const refuse = (path: string, message: string) => addIssue(issues, { path, message })
  const instead = `compare with a value or with another field of ${child.key}`
  const compares = comparesIn(condition)
  if (callerPathsIn(condition).length > 0)
    refuse('$where', `names the caller, but the result is stored once for everybody: ${instead}`)
  for (const { at } of readableIn(condition))
    refuse(at, `asks for the caller, but the result is stored once for everybody: ${instead}`)
  for (const { at, list } of listsIn(condition))
    refuse(
      at,
      `asks the records of "${list}", but the result does not follow their changes: keep what it asks in a rollup of ${child.key}`,
    )
  for (const name of fieldsIn({ kind: 'and', conditions: compares }))
    if (name.includes('.'))
      refuse(
        '$where',
        `"${name}" leads to another record, but the result does not follow its changes: name fields of ${child.key} itself`,
      )
  for (const { at, operator, value } of compares)
    if (!operatorOf(operator).operand.isSearch && [value].flat().some(namesMovingTime))
      refuse(at, `moves with the clock, but the result is stored: ${instead}`)
  if (asksForRemoved(condition))
    refuse('$where', 'names "_is_deleted", but records that are removed never count: leave it out')
  return issues
}
