/** What a write will need, as far as the request and the definitions say it. */
import { int } from '../../../database/sql.ts'
import { calculatedColumns } from '../../../definitions/catalog.ts'
import {
  type CompiledConditions,
  compileConditions,
} from '../../../query/conditions/compile-conditions.ts'
import { type Condition, fieldsIn } from '../../../query/criteria/criteria.ts'
import { affectedRollups } from '../calculated/roll-up.ts'
import type { WriteContext } from '../write-context.ts'
import type { Values } from '../write-record.ts'

/** What a write of records of one entity will need. */
export type WriteNeeds = {
  /** Names of the columns that it changes; undefined: all of them. */
  readonly columns?: readonly string[]
  /** Links that it sets, among other values. */
  readonly links: Values
  /** What decides on it, before it or after it. */
  readonly conditions: readonly Condition[]
  /** A record for which none of these holds is refused; undefined: any record may be written. */
  readonly ways?: readonly Way[]
}

/** A state in which a record may be written: its step, and a condition that reads nothing but the record and the caller. */
export type Way = { readonly step?: string; readonly condition?: Condition | undefined }

/** Whether a write needs anything beside the record itself. */
export const needsOthers = (context: WriteContext, needs: WriteNeeds): boolean =>
  affectedRollups(context, needs.columns).length > 0 ||
  compileNeeds(context, needs.conditions).read.length > 0

/** Whether other writes in the same transaction may change how its conditions decide. */
export const readsCalculated = (context: WriteContext, { conditions }: WriteNeeds): boolean =>
  conditions.length > 0 &&
  (compileNeeds(context, conditions).links.length > 0 ||
    calculatedColumns(context.entity).length > 0)

/** The condition if no other write of the same transaction can change whether it holds, as a part of a way. */
export const settledCondition = (
  context: WriteContext,
  [condition]: readonly Condition[],
): Condition | undefined => {
  if (!condition) return undefined
  const { columnsByName } = context.entity
  const isOwn =
    compileNeeds(context, [condition]).links.length === 0 &&
    fieldsIn(condition).every((name) => columnsByName.get(name)?.isCalculated !== true)
  return isOwn ? condition : undefined
}

/** The conditions for whoever writes. */
export const compileNeeds = (
  { catalog, entity, timeZone, userId }: WriteContext,
  conditions: readonly Condition[],
): CompiledConditions =>
  compileConditions({ catalog, entity, timeZone, user: int(userId), conditions })
