/**
 * Statements that write many records at once, each with values of its own: the rows of a row source `v`. Like those of one record,
 * each writes rows, history and events together.
 */
import type { RecordAuthor } from '../../auth/caller.ts'
import { bound, ints, join, ref, type Sql, sql, table, where } from '../../database/sql.ts'
import { type Column, calculatedColumns, type Entity } from '../../definitions/catalog.ts'
import { insertHistory } from '../history.ts'
import { changeEvents } from './change-events.ts'
import {
  anyDiffersBetween,
  auditCells,
  auditUpdate,
  changesBetween,
  changesOfRow,
  type Values,
} from './write-statements.ts'

/** A column with its value for a row `v`; of a record that exists, the row `b` is what it is now. */
export type SetCell = { readonly column: Column; readonly value: Sql }

/**
 * A row source of values, in their order: those of these columns by name, and their places as `_n`. Conditions are asked of a row `u`.
 */
export const valueRows = (
  columns: readonly Column[],
  values: readonly Values[],
  conditions: readonly Sql[] = [],
): Sql => {
  const cells = columns.map((column) =>
    bound(
      values.map((one) => one.get(column) ?? null),
      `${column.type.cast}[]`,
    ),
  )
  const names = ['_n', ...columns.map(({ name }) => name)].map((name) => ref(name))
  const arrays = [ints(values.map((_, at) => at)), ...cells]
  return sql`(
    SELECT u.* FROM unnest(${join(arrays, ', ')}) AS u (${join(names, ', ')})
    ${where(conditions)}
    ORDER BY u._n
  )`
}

type SetWrite = {
  readonly entity: Entity
  readonly author: RecordAuthor
  /** In the order in which they are written. */
  readonly rows: Sql
  readonly cells: readonly SetCell[]
  /** Whether jobs follow. */
  readonly withEvents: boolean
}

/** Creates a record for each row; selects their ids. Cells of columns of the service replace what it would write. */
export const insertSet = ({ entity, author, rows, cells, withEvents }: SetWrite): Sql => {
  const { userId } = author
  const given = new Map(cells.map(({ column, value }) => [column.name, value]))
  const audit = auditCells(entity, userId).map(({ name, value }) => [name, value] as const)
  const all = [...new Map([...audit, ...given])]
  const written = cells.map(({ column }) => column).filter(({ isSystem }) => !isSystem)
  const changes = changesOfRow(entity, written, 'c')
  const entry = { entity, author, operation: 'create', changes }
  const ofRow = changesOfRow(entity, written, 't')
  const change = { entity, userId, operation: 'create', changes: ofRow } as const
  const events = withEvents ? changeEvents(change, sql`t.id`) : []
  return sql`
    WITH created AS (
      INSERT INTO ${table(entity)} (${join(
        all.map(([name]) => ref(name)),
        ', ',
      )})
      SELECT ${join(
        all.map(([, value]) => value),
        ', ',
      )}
      FROM ${rows} v
      RETURNING *
    ),
    history AS (${insertHistory(entry, sql`created c`)})
    SELECT ${join([sql`t.id`, ...events], ', ')}
    FROM created t`
}

type SetUpdate = SetWrite & {
  readonly operation?: 'change' | 'remove'
  /** On the rows `v` and `b`: a record for which it does not hold stays as it is. */
  readonly condition?: Sql
}

/** Changes the record `_match` of each row, which is locked, where a value differs; selects the ids of those that were changed. */
export const updateSet = ({
  entity,
  author,
  rows,
  cells,
  withEvents,
  operation = 'change',
  condition = sql`true`,
}: SetUpdate): Sql => {
  const { userId } = author
  const assignments = cells.map(({ column, value }) => sql`${ref(column.name)} = ${value}`)
  const written = new Set([...cells.map(({ column }) => column), ...calculatedColumns(entity)])
  const entry = {
    entity,
    author,
    operation,
    changes: changesBetween([...written], 'b', 'c'),
  }
  const change = { entity, userId, operation, changes: sql`h.changes` } as const
  const events = withEvents ? changeEvents(change, sql`t.id`) : []
  return sql`
    WITH given AS MATERIALIZED (SELECT * FROM ${rows} w),
    before AS (
      SELECT t.* FROM ${table(entity)} t WHERE t.id IN (SELECT g._match FROM given g)
    ),
    changed AS (
      UPDATE ${table(entity)} t
      SET ${join([...assignments, auditUpdate(userId, 't')], ', ')}
      FROM before b
      JOIN given v ON v._match = b.id
      WHERE t.id = b.id AND ${condition} AND ${anyDiffersBetween(cells, 'b')}
      RETURNING t.*
    ),
    history AS (
      ${insertHistory(entry, sql`changed c JOIN before b ON b.id = c.id`)}
      RETURNING entity_id, changes
    )
    SELECT ${join([sql`t.id`, ...events], ', ')}
    FROM changed t
    JOIN history h ON h.entity_id = t.id`
}
