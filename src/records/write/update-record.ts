/** Writes values of one locked record, with history and events of what differs. */

import { type Connection, queryShaped } from '../../database/pool.ts'
import { int, raw, sql, table } from '../../database/sql.ts'
import type { TakenAction } from '../../definitions/notification-matching.ts'
import type { RecordOperation } from '../../definitions/operations.ts'
import { type RecordText, unknownRecord } from '../read-records.ts'
import { affectedRollups, lockWholes, rollUp } from './calculated/roll-up.ts'
import { selectVisibleJson, type WriteContext } from './write-context.ts'
import { updateStatement, type Values } from './write-record.ts'

type RecordUpdate = {
  readonly values: Values
  readonly operation: RecordOperation
  readonly action?: TakenAction
  readonly comment?: string | undefined
  /** Writes history and events even if no value differs. */
  readonly isEvent?: boolean
}

/** Returns the record as its writer may see it. Values that it holds already change nothing. */
export const updateRecord = async (
  connection: Connection,
  context: WriteContext,
  id: number,
  { values, ...change }: RecordUpdate,
): Promise<RecordText> => {
  const { entity, author } = context
  const rollups = affectedRollups(
    context,
    [...values.keys()].map(({ name }) => name),
  )
  const wholes = await lockWholes(connection, rollups, id, values)
  const statement = updateStatement({
    entity,
    author,
    values,
    change,
    row: sql`SELECT t.* FROM ${table(entity)} t WHERE t.id = ${int(id)}`,
    selected: [raw(`t._version AS version, ${selectVisibleJson(context)} AS json`)],
  })
  const [record] = await queryShaped<RecordText>(connection, statement)
  if (!record) throw unknownRecord(entity, id)
  if (wholes.size > 0) await rollUp(connection, context, wholes)
  return { json: record.json, version: record.version }
}
