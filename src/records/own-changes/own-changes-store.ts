/** What a user has changed, as the history has it. */
import { type Queryable, queryRows } from '../../database/pool.ts'
import { bigint, int, ints, notDeleted, nothing, sql, table } from '../../database/sql.ts'
import type { Entity } from '../../definitions/catalog.ts'
import type { RecordScope } from '../../query/access.ts'
import { compileScope } from '../../query/compile-select.ts'

/** Selects the entries of a user, the newest first; with `before` those that are older than that one. */
export const entriesOf = (userId: number, before: number | undefined, limit: number) => sql`
  SELECT h.*
  FROM docket.history h
  WHERE h.user_id = ${int(userId)}
    ${before === undefined ? nothing : sql`AND h.id < ${bigint(before)}`}
  ORDER BY h.id DESC
  LIMIT ${bigint(limit)}`

/** Which of some records the reader may see the history of, and whether that of their tasks too. */
export const findReadable = async (
  database: Queryable,
  entity: Entity,
  ids: readonly number[],
  scopes: { readonly read: RecordScope; readonly delete: RecordScope; readonly tasks: RecordScope },
): Promise<ReadonlyMap<number, { readonly hasTasks: boolean }>> => {
  const may = (scope: RecordScope) => compileScope(scope, entity.hasOwner, 't')
  const rows = await queryRows<{ readonly id: number; readonly has_tasks: boolean }>(
    database,
    sql`
    SELECT t.id, ${may(scopes.tasks)} AS has_tasks
    FROM ${table(entity)} t
    WHERE t.id = ANY(${ints(ids)}) AND ${may(scopes.read)}
      AND (${notDeleted('t')} OR ${may(scopes.delete)})`,
  )
  return new Map(rows.map(({ id, has_tasks: hasTasks }) => [id, { hasTasks }]))
}
