/** What the database is asked about the steps of records. */
import { type Queryable, queryRows } from '../database/pool.ts'
import { bound, identifier, join, raw, sql, tableName, toStatement } from '../database/sql.ts'
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
  const select = sql`SELECT t._step AS step FROM ${raw(tableName(entity.key))} t WHERE t.id = ${bound(id, 'integer')} AND NOT t._is_deleted AND ${reachable}`
  const [row] = await queryRows<{ step: string }>(database, toStatement(select))
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
  const select = sql`SELECT ${join(empty, ', ')} FROM ${raw(tableName(entity.key))} t WHERE t.id = ${bound(id, 'integer')}`
  const [row] = await queryRows<Record<string, boolean>>(database, toStatement(select))
  return columns.filter((_, index) => row?.[`c${index}`])
}

/** Keys of the entities whose table has steps already. */
export const listTablesWithSteps = async (database: Queryable): Promise<ReadonlySet<string>> => {
  const { rows } = await database.query<{ name: string }>(
    `SELECT table_name AS name FROM information_schema.columns WHERE table_schema = 'records' AND column_name = '_step'`,
  )
  return new Set(rows.map(({ name }) => name))
}

/**
 * Every step that some record stands in. It leaps from one to the next by the index on `_step`, so a
 * start takes no longer where there are many records.
 */
export const listSteps = async (database: Queryable, { key }: Entity): Promise<string[]> => {
  const table = tableName(key)
  const { rows } = await database.query<{ step: string }>(
    `WITH RECURSIVE found AS (SELECT min(_step) AS step FROM ${table} UNION ALL SELECT (SELECT min(_step) FROM ${table} WHERE _step > found.step) FROM found WHERE found.step IS NOT NULL) SELECT step FROM found WHERE step IS NOT NULL`,
  )
  return rows.map(({ step }) => step)
}

/** The number of records, not counting removed ones, that stand in a step. */
export const countInStep = async (
  database: Queryable,
  { key }: Entity,
  step: string,
): Promise<number> => {
  const select = sql`SELECT count(*) AS count FROM ${raw(tableName(key))} WHERE _step = ${bound(step, 'text')} AND NOT _is_deleted`
  const [row] = await queryRows<{ count: number }>(database, toStatement(select))
  return row?.count ?? 0
}
