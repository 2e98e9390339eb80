/** Records as their writers may see them, once they are written. */
import { type Queryable, queryShaped } from '../../database/pool.ts'
import { int, sql, table } from '../../database/sql.ts'
import { type RecordText, unknownRecord } from '../read-records.ts'
import { isConditional, selectVisibleJson, type WriteContext } from './write-context.ts'

/** The record after all that was written with it. */
export const readWritten = async (
  database: Queryable,
  context: WriteContext,
  id: number,
): Promise<RecordText> => {
  const { entity } = context
  const select = sql`
    SELECT t._version AS version, ${selectVisibleJson(context)} AS json
    FROM ${table(entity)} t
    WHERE t.id = ${int(id)}`
  const [record] = await queryShaped<RecordText>(database, select)
  if (!record) throw unknownRecord(entity, id)
  return record
}

/**
 * The record that a statement has written. What decides whether it is read may be the record again, as the one that it links to, or
 * one of a list, or what is calculated from it: these the statement has read as they were before.
 */
export const asSeenNow = (
  database: Queryable,
  context: WriteContext,
  id: number,
  { json, version }: RecordText,
): RecordText | Promise<RecordText> =>
  isConditional(context.access.readScope(context.entity))
    ? readWritten(database, context, id)
    : { json, version }
