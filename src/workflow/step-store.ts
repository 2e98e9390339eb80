/** Queries about the steps of records. */
import { type Queryable, queryRow } from '../database/pool.ts'
import { identifier, int, join, notDeleted, raw, sql, table, text, texts } from '../database/sql.ts'
import type { Column, Entity } from '../definitions/catalog.ts'
import type { RecordScope } from '../query/access.ts'
import { compileScope } from '../query/compile-select.ts'

/** The current step of a record of the scope; undefined if there is no such record. */
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

type StepOfRecord = {
  readonly entity: Entity
  readonly id: number
  /** The keys of a step, now and before. */
  readonly names: readonly string[]
}

/** The step that a record left for its current step, with its key at that time; going back does not count. */
export const findStepBefore = async (
  database: Queryable,
  { entity, id, names }: StepOfRecord,
): Promise<string | undefined> => {
  const select = sql`
    SELECT h.action->>'from' AS step
    FROM docket.history h
    WHERE h.entity_key = ${text(entity.key)} AND h.entity_id = ${int(id)}
      AND h.operation = 'proceedToStep' AND h.action->>'kind' <> 'returnToStep'
      AND h.action->>'to' = ANY (${texts(names)})
      AND h.action->>'from' <> ALL (${texts(names)})
    ORDER BY h.id DESC
    LIMIT 1`
  const row = await queryRow<{ step: string }>(database, select)
  return row?.step
}

/** Those of the columns that are null or an empty text. */
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
