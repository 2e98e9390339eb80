/** Writes values of one locked record, with the history and jobs of what really differs. */

import { type Connection, queryShaped } from '../../database/pool.ts'
import { int, raw, sql, table } from '../../database/sql.ts'
import type { TakenAction } from '../../definitions/notification-matching.ts'
import type { RecordOperation } from '../../definitions/operations.ts'
import { type RecordText, unknownRecord } from '../read-records.ts'
import { selectVisibleJson, type WriteContext } from './write-context.ts'
import { updateStatement, type Values } from './write-record.ts'

type RecordUpdate = {
  readonly values: Values
  readonly operation: RecordOperation
  readonly action?: TakenAction
  readonly comment?: string | undefined
  /** It has happened, and is told, even where no value differs. */
  readonly isEvent?: boolean
}

/** The record as its writer may see it; values that it holds already change nothing. */
export const updateRecord = async (
  connection: Connection,
  context: WriteContext,
  id: number,
  { values, ...change }: RecordUpdate,
): Promise<RecordText> => {
  const { entity, userId } = context
  const statement = updateStatement({
    ...{ entity, userId, values, change },
    row: sql`SELECT t.* FROM ${table(entity)} t WHERE t.id = ${int(id)}`,
    selected: [raw(`t._version AS version, ${selectVisibleJson(context)} AS json`)],
  })
  const [record] = await queryShaped<RecordText>(connection, statement)
  if (!record) throw unknownRecord(entity, id)
  return { json: record.json, version: record.version }
}
