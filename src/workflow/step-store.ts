/** Queries about the steps of records. */
import { type Queryable, queryRow, queryRows } from '../database/pool.ts'
import {
  allOf,
  bound,
  identifier,
  int,
  ints,
  join,
  notDeleted,
  raw,
  sql,
  table,
  text,
} from '../database/sql.ts'
import type { Column, Entity } from '../definitions/catalog.ts'
import type { RecordScope } from '../query/access.ts'
import { compileScope } from '../query/compile-select.ts'

/** A record with the key of its step, which is empty without a workflow. */
export type StandingRecord = { readonly id: number; readonly step: string }

/** The records of these ids that every scope covers. */
export const findStanding = (
  database: Queryable,
  entity: Entity,
  ids: readonly number[],
  scopes: readonly RecordScope[],
): Promise<StandingRecord[]> =>
  queryRows<StandingRecord>(
    database,
    sql`
    SELECT t.id, ${entity.hasWorkflow ? sql`t._step` : sql`''`} AS step
    FROM ${table(entity)} t
    WHERE t.id = ANY (${ints(ids)}) AND ${notDeleted('t')}
      AND ${allOf(scopes.map((scope) => compileScope(scope, entity.hasOwner, 't')))}
    ORDER BY t.id`,
  )

/** The current step of a record of the scope; undefined if there is no such record. */
export const findStepKey = async (
  database: Queryable,
  entity: Entity,
  id: number,
  scope: RecordScope,
): Promise<string | undefined> => (await findStanding(database, entity, [id], [scope]))[0]?.step

type ReachedStep = {
  readonly id: number
  /** The keys of the step of the record, now and before. */
  readonly names: readonly string[]
}

/**
 * By id, the step that a record left for its current step, with its key at that time; going back does not count. A record
 * that came from nowhere is left out.
 */
export const findStepsBefore = async (
  database: Queryable,
  entity: Entity,
  records: readonly ReachedStep[],
): Promise<ReadonlyMap<number, string>> => {
  const names = records.map((record) => JSON.stringify(record.names))
  const select = sql`
    SELECT r.id, h.step
    FROM unnest(${ints(records.map(({ id }) => id))}, ${bound(names, 'jsonb[]')}) AS r (id, names)
    CROSS JOIN LATERAL (
      SELECT h.action->>'from' AS step
      FROM docket.history h
      WHERE h.entity_key = ${text(entity.key)} AND h.entity_id = r.id
        AND h.operation = 'proceedToStep' AND h.action->>'kind' <> 'returnToStep'
        AND r.names @> to_jsonb(h.action->>'to')
        AND NOT r.names @> to_jsonb(h.action->>'from')
      ORDER BY h.id DESC
      LIMIT 1
    ) h`
  const rows = await queryRows<{ id: number; step: string }>(database, select)
  return new Map(rows.map(({ id, step }) => [id, step]))
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
