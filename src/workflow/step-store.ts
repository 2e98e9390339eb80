/** What the database is asked about the steps of records. */
import { type Queryable, queryRow } from '../database/pool.ts'
import { identifier, int, join, notDeleted, raw, sql, table } from '../database/sql.ts'
import type { Column, Entity } from '../definitions/catalog.ts'
import type { RecordScope } from '../query/access.ts'
import { compileScope } from '../query/compile-select.ts'

/** The step that a record of the scope stands in; undefined where there is no such record. */
export const findStepKey = async (
  database: Queryable,
  entity: Entity,
  id: number,
  scope: RecordScope,
): Promise<string | undefined> => {
  const reachable = compileScope(scope, entity.hasOwner, 't')
  const select = sql`
    SELECT t._step AS step
    FROM ${table(entity)} t
    WHERE t.id = ${int(id)} AND ${notDeleted('t')} AND ${reachable}`
  const row = await queryRow<{ step: string }>(database, select)
  return row?.step
}

/** Those of the columns that hold nothing, or an empty text. */
export const listEmptyColumns = async (
  database: Queryable,
  entity: Entity,
  id: number,
  columns: readonly Column[],
): Promise<readonly Column[]> => {
  if (columns.length === 0) return []
  const empty = columns.map(({ name, type }, index) => {
    const cell = `t.${identifier(name)}`
    return raw(
      type.cast === 'text'
        ? `coalesce(${cell},'') = '' AS c${index}`
        : `${cell} IS NULL AS c${index}`,
    )
  })
  const select = sql`SELECT ${join(empty, ', ')} FROM ${table(entity)} t WHERE t.id = ${int(id)}`
  const row = await queryRow<Record<string, boolean>>(database, select)
  return columns.filter((_, index) => row?.[`c${index}`])
}
