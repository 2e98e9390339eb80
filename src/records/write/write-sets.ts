/**
 * Statements that write many records at once, each with values of its own: the rows of a row source `v`. Like those of one record,
 * each writes rows, history and events together.
 */
import type { RecordAuthor } from '../../auth/caller.ts'
import { bound, ints, join, nothing, ref, type Sql, sql, table, where } from '../../database/sql.ts'
import { type Column, calculatedColumns, type Entity } from '../../definitions/catalog.ts'
import { insertHistory } from '../history.ts'
import { changeEvents } from './change-events.ts'
import {
  anyDiffersBetween,
  auditCells,
  auditedUpdate,
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

type SetInsert = SetWrite & {
  /** Whether the history has their creation; by default it has. */
  readonly withHistory?: boolean
}

/**
 * Creates a record for each row; selects one row with their `ids` in order, because a row for each would be an object in memory.
 * Cells of columns of the service replace what it would write.
 */
export const insertSet = ({
  entity,
  author,
  rows,
  cells,
  withEvents,
  withHistory = true,
}: SetInsert): Sql => {
  const { userId } = author
  const given = new Map(cells.map(({ column, value }) => [column.name, value]))
  const audit = auditCells(entity, userId).map(({ name, value }) => [name, value] as const)
  const all = [...new Map([...audit, ...given])]
  const written = cells.map(({ column }) => column).filter(({ isSystem }) => !isSystem)
  const changes = changesOfRow(entity, written, 'c')
  const entry = { entity, author, operation: 'create', changes }
  const ofEntry = { changes: sql`t.changes`, entry: sql`t.entry` }
  const change = { entity, userId, operation: 'create', ...ofEntry } as const
  const events = withEvents ? changeEvents(change, sql`t.id`, (event) => sql`sum(${event})`) : []
  const history = sql`, history AS (
      ${insertHistory(entry, sql`created c`)}
      RETURNING ${ofEntries}
    )`
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
    )${withHistory ? history : nothing}
    SELECT ${join([sql`coalesce(array_agg(t.id), '{}') AS ids`, ...events], ', ')}
    FROM ${withHistory ? sql`history` : sql`created`} t`
}

/** Of entries of the history, with the id of the record or of the part. */
const ofEntries = sql`coalesce(part_id, entity_id) AS id, id AS entry, changes`

type SetUpdate = SetWrite & {
  readonly operation?: 'change' | 'remove'
  /** As the history names it, of the rows `b` and `c`, where records differ in it. */
  readonly historyOperation?: Sql
  /** On the rows `v` and `b`: a record for which it does not hold stays as it is. */
  readonly condition?: Sql
  /** Besides the id: of the record `t` and its entry `h`. */
  readonly selected?: readonly Sql[]
}

/**
 * Changes the record `_match` of each row, which is locked, where a value differs; selects the ids of those that were changed. Cells of
 * columns of the service replace what it would write.
 */
export const updateSet = ({
  entity,
  author,
  rows,
  cells,
  withEvents,
  operation = 'change',
  historyOperation,
  condition = sql`true`,
  selected = [],
}: SetUpdate): Sql => {
  const { userId } = author
  const given = new Set(cells.map(({ column }) => column.name))
  const audit = auditedUpdate(userId, 't').filter(({ name }) => !given.has(name))
  const assignments = [
    ...cells.map(({ column, value }) => ({ name: column.name, value })),
    ...audit,
  ].map(({ name, value }) => sql`${ref(name)} = ${value}`)
  const written = new Set([...cells.map(({ column }) => column), ...calculatedColumns(entity)])
  const entry = {
    entity,
    author,
    operation: historyOperation ?? operation,
    changes: changesBetween([...written], 'b', 'c'),
  }
  const changes = sql`h.changes`
  const event = { entry: sql`h.entry`, written: [...written] }
  const change = { entity, userId, operation, changes, ...event } as const
  const events = withEvents ? changeEvents(change, sql`t.id`) : []
  return sql`
    WITH given AS MATERIALIZED (SELECT * FROM ${rows} w),
    before AS (
      SELECT t.* FROM ${table(entity)} t WHERE t.id IN (SELECT g._match FROM given g)
    ),
    changed AS (
      UPDATE ${table(entity)} t
      SET ${join(assignments, ', ')}
      FROM before b
      JOIN given v ON v._match = b.id
      WHERE t.id = b.id AND ${condition} AND ${anyDiffersBetween(cells, 'b')}
      RETURNING t.*
    ),
    history AS (
      ${insertHistory(entry, sql`changed c JOIN before b ON b.id = c.id`)}
      RETURNING ${ofEntries}
    )
    SELECT ${join([sql`t.id`, ...selected, ...events], ', ')}
    FROM changed t
    JOIN history h ON h.id = t.id`
}
