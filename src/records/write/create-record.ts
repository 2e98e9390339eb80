/** Creates a record: values, references and history in one statement. */

import { type Queryable, queryRow } from '../../database/pool.ts'
import { raw } from '../../database/sql.ts'
import { affectedRollups, lockWholes, rollUp } from './calculated/roll-up.ts'
import { checkNewValues } from './check-values.ts'
import { conditionsOf, requireCondition } from './conditions/role-conditions.ts'
import { requireValid, validationConditions } from './conditions/validations.ts'
import { lockAheadOfNew } from './locks/lock-ahead.ts'
import { findGuardIssues } from './native-guards.ts'
import { selectVisibleJson, type WriteContext } from './write-context.ts'
import { insertStatement } from './write-record.ts'
import { catchConflicts, WriteRejected } from './write-rejected.ts'

export type CreatedRecord = { readonly id: number; readonly version: number; readonly json: string }

/** Whether a create is more than one statement. */
export const needsTransaction = (context: WriteContext): boolean =>
  context.conditions.create !== undefined ||
  affectedRollups(context).length > 0 ||
  validationConditions(context).length > 0

/**
 * The new record as its creator may see it, or a WriteRejected. If `needsTransaction`, `database` must be one, which the error
 * ends.
 */
export const createRecord = async (
  database: Queryable,
  context: WriteContext,
  body: unknown,
): Promise<CreatedRecord> => {
  const { values, issues } = checkNewValues({ ...context, body })
  if (issues.length > 0) throw new WriteRejected(values, issues)
  const guarded = await findGuardIssues(database, context, values)
  if (guarded.length > 0) throw new WriteRejected(values, guarded)
  if (needsTransaction(context))
    await lockAheadOfNew(database, context, {
      links: values,
      conditions: [...conditionsOf(context, 'create'), ...validationConditions(context)],
    })
  const { entity, author, references } = context
  const statement = insertStatement({
    entity,
    author,
    values,
    conditions: [...values].flatMap(([column, value]) => references(column, value)?.exists ?? []),
    selected: [raw(`t.id, t._version AS version, ${selectVisibleJson(context)} AS json`)],
  })
  const row = await catchConflicts(values, () => queryRow<CreatedRecord>(database, statement))
  // No row: a record that it links to is not there.
  if (!row) throw new WriteRejected(values)
  const rollups = affectedRollups(context)
  if (rollups.length > 0)
    await rollUp(database, context, await lockWholes(database, rollups, row.id))
  await requireCondition(database, context, 'create', row.id)
  await requireValid(database, context, row.id)
  return row
}
