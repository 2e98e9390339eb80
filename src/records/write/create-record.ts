/** Creates a record: values, references and history in one statement. */

import { type Queryable, queryRow } from '../../database/pool.ts'
import { raw } from '../../database/sql.ts'
import { checkNewValues } from './check-values.ts'
import { findGuardIssues } from './native-guards.ts'
import { RefusedWrite, refusable } from './refusal.ts'
import { insertStatement } from './write-record.ts'
import { selectVisibleJson, type Writing } from './writing.ts'

export type CreatedRecord = { readonly id: number; readonly version: number; readonly json: string }

/** The new record as its creator may see it, or a RefusedWrite. */
export const createRecord = async (
  database: Queryable,
  writing: Writing,
  body: unknown,
): Promise<CreatedRecord> => {
  const { values, issues } = checkNewValues({ ...writing, body })
  if (issues.length > 0) throw new RefusedWrite(values, issues)
  const guarded = await findGuardIssues(database, writing, values)
  if (guarded.length > 0) throw new RefusedWrite(values, guarded)
  const { entity, userId, references } = writing
  const statement = insertStatement({
    ...{ entity, userId, values },
    conditions: [...values].flatMap(([column, value]) => references(column, value)?.exists ?? []),
    selected: [raw(`t.id, t._version AS version, ${selectVisibleJson(writing)} AS json`)],
  })
  const row = await refusable(values, () => queryRow<CreatedRecord>(database, statement))
  // No row: a record that it links to is not there.
  if (!row) throw new RefusedWrite(values)
  return row
}
