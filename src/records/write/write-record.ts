/**
 * The statements that write a record: its row, its history and the jobs that follow are one statement,
 * which is one transaction and one way to the database. Tasks add parts of their own.
 */

import {
  allOf,
  anyOf,
  bound,
  int,
  join,
  nothing,
  ref,
  type Sql,
  sql,
  table,
  text,
  where,
} from '../../database/sql.ts'
import type { Column, Entity } from '../../definitions/catalog.ts'
import type { SqlValue } from '../../definitions/values/check-value.ts'
import { type Changes, changesOfNew, type HistoryEntry, insertHistory } from '../history.ts'
import { type Change, messagesOf } from './after-change.ts'
import { changesBetween, differs } from './changed-fields.ts'

/** Values to write, by column. */
export type Values = ReadonlyMap<Column, SqlValue>

type Write = {
  readonly entity: Entity
  readonly userId: number
  readonly values: Values
  /** Steps of the WITH that come before the row is written, and those that follow it. */
  readonly before?: readonly Sql[]
  readonly after?: readonly Sql[]
  /** Rows that the conditions read. */
  readonly from?: Sql
  /** Nothing is written unless all of them hold. */
  readonly conditions?: readonly Sql[]
  /** What the statement selects. */
  readonly selected: readonly Sql[]
}

type Insert = Write & {
  /** What the history calls it, and says that was set. */
  readonly history?: Pick<HistoryEntry, 'operation'> & { readonly changes: Changes }
}

/** Creates a record, which the statement selects as `t`; no row where a condition does not hold. */
export const insertStatement = ({
  entity,
  userId,
  values,
  before = [],
  after = [],
  from,
  conditions = [],
  selected,
  history = { operation: 'create', changes: changesOfNew(values) },
}: Insert): Sql => {
  const cells = [...cellsOf(values), ...auditCells(entity, userId)]
  const names = cells.map(({ name }) => ref(name))
  const list = cells.map(({ value }) => value)
  const source = from ? sql` FROM ${from}` : nothing
  const created = sql`
    INSERT INTO ${table(entity)} (${join(names, ', ')})
    SELECT ${join(list, ', ')}${source}${where(conditions)}
    RETURNING *`
  const steps = [
    ...before,
    sql`created AS (${created})`,
    sql`history AS (${insertHistory({ entity, userId, ...history }, sql`created c`)})`,
    ...after,
  ]
  const { changes } = history
  const messages = messagesOf({ entity, userId, operation: 'create', changes }, sql`t.id`)
  return sql`
    WITH ${join(steps, ', ')}
    SELECT ${join([...selected, ...messages], ', ')}
    FROM created t`
}

type Update = Write & {
  /** Selects the row to write, locked. The statement knows it as `before b`. */
  readonly row: Sql
  readonly change: Pick<Change, 'operation' | 'action' | 'comment'> & {
    /** What the history calls it, where that is another word. */
    readonly historyOperation?: Sql
    /** Changes beside those of columns, as members of JSON. */
    readonly more?: Sql | undefined
    /** It has happened, and is told, even where no value differs. */
    readonly isEvent?: boolean
  }
  /** Rows that are selected from instead of `current t`, which is the row as it is now. */
  readonly selectedFrom?: Sql
}

/**
 * Changes a record where a value differs. The statement selects from the row as it is now, `t`, and as it
 * was changed, `c`, which is null where nothing was.
 */
export const updateStatement = ({
  entity,
  userId,
  values,
  row,
  change: { historyOperation, more, isEvent = false, ...change },
  before = [],
  after = [],
  from,
  conditions = [],
  selected,
  selectedFrom = sql`current t`,
}: Update): Sql => {
  const told = isEvent ? sql`current` : sql`changed`
  const changed = sql`
    UPDATE ${table(entity)} t
    SET ${join([...cellsOf(values).map(assignment), auditUpdate(userId, 't')], ', ')}
    FROM before b${from ? sql`, ${from}` : nothing}
    WHERE t.id = b.id AND ${more ? sql`true` : anyDiffers(values, 'b')} AND ${allOf(conditions)}
    RETURNING t.*`
  const changes = changesBetween([...values.keys()], 'b', 'c', more)
  const entry = {
    entity,
    userId,
    ...change,
    operation: historyOperation ?? change.operation,
    changes,
  }
  const steps = [
    ...before,
    sql`before AS (${row})`,
    sql`changed AS (${changed})`,
    sql`current AS (
      SELECT * FROM changed
      UNION ALL
      SELECT * FROM before WHERE NOT EXISTS (SELECT FROM changed)
    )`,
    sql`history AS (
      ${insertHistory(entry, sql`${told} c JOIN before b ON b.id = c.id`)}
      RETURNING entity_id, changes
    )`,
    ...after,
  ]
  const messages = messagesOf(
    { entity, userId, ...change, changes: sql`h.changes` },
    isEvent ? sql`t.id` : sql`c.id`,
  )
  return sql`
    WITH ${join(steps, ', ')}
    SELECT ${join([...selected, ...messages], ', ')}
    FROM ${selectedFrom}
    LEFT JOIN changed c ON true
    LEFT JOIN history h ON true`
}

/** Whether the row under an alias holds other values. */
export const anyDiffers = (values: Values, alias: string): Sql =>
  anyOf(
    [...values].map(([column, value]) => differs(column, alias, bound(value, column.type.cast))),
  )

type Cell = { readonly name: string; readonly value: Sql }

const cellsOf = (values: Values): Cell[] =>
  [...values].map(([column, value]) => ({
    name: column.name,
    value: bound(value, column.type.cast),
  }))

const assignment = ({ name, value }: Cell): Sql => sql`${ref(name)} = ${value}`

/** What the service itself writes into a new record. */
const auditCells = ({ hasOwner, hasWorkflow, definition }: Entity, userId: number): Cell[] => {
  const user = int(userId)
  return [
    { name: '_created_by', value: user },
    { name: '_updated_by', value: user },
    ...(hasOwner ? [{ name: '_owned_by', value: user }] : []),
    ...(hasWorkflow
      ? [{ name: '_step', value: text(definition.workflow?.initialStep ?? '') }]
      : []),
  ]
}

/** What the service itself writes into a record that changes: by whom, when, and which version it is. */
export const auditUpdate = (userId: number, alias: string): Sql => sql`
  _updated_by = ${int(userId)},
  _updated_at = greatest(now(), ${ref('_updated_at', alias)}),
  _version = ${ref('_version', alias)} + 1`
