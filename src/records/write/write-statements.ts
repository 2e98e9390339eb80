/**
 * Builds the statements that write a record. Row, history and events are one statement: one transaction and
 * one round trip. Records, workflow and tasks use the same two; tasks add parts of their own.
 */
import type { RecordAuthor } from '../../auth/caller.ts'
import {
  allOf,
  anyOf,
  bound,
  int,
  join,
  nothing,
  raw,
  ref,
  type Sql,
  sql,
  table,
  text,
  where,
} from '../../database/sql.ts'
import { formulaColumns, formulaSql } from '../../definitions/calculations/formulas.ts'
import { rollupFunctionOf, rollupsOf } from '../../definitions/calculations/rollups.ts'
import {
  type Catalog,
  type Column,
  calculatedColumns,
  type Entity,
} from '../../definitions/catalog.ts'
import type { SqlValue } from '../../definitions/values/check-value.ts'
import { columnExpression } from '../../query/compile-select.ts'
import { jsonValue } from '../../query/record-json.ts'
import { type Changes, changesOfNew, type HistoryEntry, insertHistory } from '../history.ts'
import { type Change, changeEvents } from './change-events.ts'

/** Values to write, by column. */
export type Values = ReadonlyMap<Column, SqlValue>

/** A number that the statement takes from its series. */
export type NumberCell = { readonly column: Column; readonly value: Sql }

type Write = {
  readonly entity: Entity
  readonly author: RecordAuthor
  readonly values: Values
  /** Taken only if the row is written: a write that is refused leaves no gap. */
  readonly numbers?: readonly NumberCell[]
  /** CTEs that come before the row is written, and those that come after it. */
  readonly before?: readonly Sql[]
  readonly after?: readonly Sql[]
  /** A row source that the conditions read. */
  readonly from?: Sql
  /** The row is written only if all of them hold. */
  readonly conditions?: readonly Sql[]
  readonly selected: readonly Sql[]
  /** No job follows. */
  readonly isQuiet?: boolean | undefined
}

type Insert = Write & {
  /** Operation and changes for the history. */
  readonly history?: Pick<HistoryEntry, 'operation'> & { readonly changes: Changes }
  /** Jobs that follow besides those of the hooks; they alone may name `entryOfNew`. */
  readonly jobs?: readonly Sql[]
  /** The row source to select from, instead of `created t`. */
  readonly selectedFrom?: Sql
}

/** In a job of `insertStatement`: the id of the entry of the history. */
export const entryOfNew = sql`(SELECT h.id FROM history h)`
const changesOfEntry = sql`(SELECT h.changes FROM history h)`

/** Creates a record, selected as `t`; no row if a condition does not hold. */
export const insertStatement = ({
  entity,
  author,
  values,
  numbers = [],
  before = [],
  after = [],
  from,
  conditions = [],
  selected,
  isQuiet,
  history = { operation: 'create', changes: changesOfNew(values) },
  jobs = [],
  selectedFrom = sql`created t`,
}: Insert): Sql => {
  const { userId } = author
  const taken = numbers.map(({ column: { name }, value }) => ({ name, value }))
  const cells = [...cellsOf(values), ...taken, ...auditCells(entity, userId)]
  const names = cells.map(({ name }) => ref(name))
  const list = cells.map(({ value }) => value)
  const source = from ? sql` FROM ${from}` : nothing
  const created = sql`
    INSERT INTO ${table(entity)} (${join(names, ', ')})
    SELECT ${join(list, ', ')}${source}${where(conditions)}
    RETURNING *`
  const changes = withGiven(entity, numbers, history.changes)
  const ofEntry = { changes: changesOfEntry, entry: entryOfNew }
  const change = { entity, userId, operation: 'create', ...ofEntry } as const
  const events = [...jobs, ...(isQuiet ? [] : changeEvents(change, sql`t.id`))]
  const steps = [
    ...before,
    sql`created AS (${created})`,
    sql`history AS (
      ${insertHistory({ entity, author, ...history, changes }, sql`created c`)}
      ${events.length > 0 ? sql`RETURNING id, changes` : nothing}
    )`,
    ...after,
  ]
  return sql`
    WITH ${join(steps, ', ')}
    SELECT ${join([...selected, ...events], ', ')}
    FROM ${selectedFrom}`
}

/** A record as a create would write it now, as a row source: nothing is written, and its id is 0. */
export const rowOfNew = (catalog: Catalog, entity: Entity, userId: number, values: Values): Sql => {
  const cells = [...cellsOf(values), ...auditCells(entity, userId)]
  // Fields that an action alone writes are empty in a new record, and no part of its values; a number is given when it is written.
  const later = entity.columns.filter(({ writtenBy, series }) => writtenBy.length > 0 || series)
  const named = [
    ...cells.map(({ name, value }) => sql`${value} AS ${ref(name)}`),
    ...later.map(({ name, type }) => sql`NULL::${raw(type.sqlType())} AS ${ref(name)}`),
  ]
  const entered = sql`(
    SELECT 0 AS id, 1 AS _version, false AS _is_deleted, now() AS _created_at, now() AS _updated_at,
      ${join(named, ', ')}
  )`
  return calculatedRow(catalog, entity, entered)
}

type Update = Write & {
  /** Selects the row to write, locked; the other parts refer to it as `b`. */
  readonly row: Sql
  readonly change: Pick<Change, 'operation' | 'action' | 'comment'> & {
    /** The operation for the history, if it has another name there. */
    readonly historyOperation?: Sql
    /** Members of the changes besides those of columns, as JSON text. */
    readonly more?: Sql | undefined
    /** Writes history and events even if no value differs. */
    readonly isEvent?: boolean
  }
  /** The row source to select from, instead of `current t`. */
  readonly selectedFrom?: Sql
}

/**
 * Changes a record if a value differs. The statement selects from the current row, `t`, and the changed row,
 * `c`, which is null if nothing was changed.
 */
export const updateStatement = ({
  entity,
  author,
  values,
  numbers = [],
  row,
  change: { historyOperation, more, isEvent = false, ...change },
  before = [],
  after = [],
  from,
  conditions = [],
  selected,
  isQuiet,
  selectedFrom = sql`current t`,
}: Update): Sql => {
  const { userId } = author
  const eventRows = isEvent ? sql`current` : sql`changed`
  // A record keeps the number that it has.
  const taken = numbers.map(({ column: { name }, value }) => ({
    name,
    value: sql`coalesce(${ref(name, 't')}, ${value})`,
  }))
  const lacksNumber = numbers.map(({ column: { name } }) => sql`${ref(name, 'b')} IS NULL`)
  const isToWrite = more ? sql`true` : anyOf([anyDiffers(values, 'b'), ...lacksNumber])
  const changed = sql`
    UPDATE ${table(entity)} t
    SET ${join([...[...cellsOf(values), ...taken].map(assignment), auditUpdate(userId, 't')], ', ')}
    FROM before b${from ? sql`, ${from}` : nothing}
    WHERE t.id = b.id AND ${isToWrite} AND ${allOf(conditions)}
    RETURNING t.*`
  const given = numbers.map(({ column }) => column)
  const columns = new Set([...values.keys(), ...given, ...calculatedColumns(entity)])
  const changes = changesBetween([...columns], 'b', 'c', more)
  const entry = {
    entity,
    author,
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
      ${insertHistory(entry, sql`${eventRows} c JOIN before b ON b.id = c.id`)}
      RETURNING id, changes
    )`,
    ...after,
  ]
  const written = more ? undefined : [...columns]
  const event = { entity, userId, ...change, changes: sql`h.changes`, entry: sql`h.id`, written }
  const events = isQuiet ? [] : changeEvents(event, isEvent ? sql`t.id` : sql`c.id`)
  return sql`
    WITH ${join(steps, ', ')}
    SELECT ${join([...selected, ...events], ', ')}
    FROM ${selectedFrom}
    LEFT JOIN changed c ON true
    LEFT JOIN history h ON true`
}

/** Whether the row under an alias differs in one of the values. */
export const anyDiffers = (values: Values, alias: string): Sql =>
  anyOf(
    [...values].map(([column, value]) => differs(column, alias, bound(value, column.type.cast))),
  )

/** Whether the row under an alias differs from one of these values, each of a statement. */
export const anyDiffersBetween = (
  values: readonly { readonly column: Column; readonly value: Sql }[],
  alias: string,
): Sql => anyOf(values.map(({ column, value }) => differs(column, alias, value)))

type Cell = { readonly name: string; readonly value: Sql }

const cellsOf = (values: Values): Cell[] =>
  [...values].map(([column, value]) => ({
    name: column.name,
    value: bound(value, column.type.cast),
  }))

const assignment = ({ name, value }: Cell): Sql => sql`${ref(name)} = ${value}`

/** Values that the service adds to a new record. */
export const auditCells = (
  { hasOwner, hasWorkflow, definition }: Entity,
  userId: number | null,
): Cell[] => {
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

/** Values that the service adds to a change: by whom, when, and the next version. */
export const auditedUpdate = (userId: number | null, alias: string): readonly Cell[] => [
  { name: '_updated_by', value: int(userId) },
  { name: '_updated_at', value: sql`greatest(now(), ${ref('_updated_at', alias)})` },
  { name: '_version', value: sql`${ref('_version', alias)} + 1` },
]

/** The same as assignments. */
export const auditUpdate = (userId: number | null, alias: string): Sql =>
  join(auditedUpdate(userId, alias).map(assignment), ', ')

/** Whether the column of the row under an alias differs from another value; nulls are equal. */
export const differs = (column: Column, alias: string, other: Sql): Sql => {
  const name = ref(column.name, alias)
  // The type json has no equality operator; the service writes its text in compact form.
  return column.type.cast === 'json'
    ? sql`${name}::text IS DISTINCT FROM (${other})::text`
    : sql`${name} IS DISTINCT FROM ${other}`
}

/** The changes of a new record together with its numbers and what was calculated in its row `c`, as json. */
const withGiven = (
  entity: Entity,
  numbers: readonly NumberCell[],
  changes: Changes,
): Changes | Sql => {
  const calculated = calculatedColumns(entity)
  const entered = JSON.stringify(changes).slice(1, -1)
  if (numbers.length + calculated.length === 0) return changes
  // Numbers are never null, so this is one concatenation, which is less work for each create.
  if (calculated.length === 0)
    return sql`(${join(
      numbers.map(({ column }, at) => {
        const before = at === 0 ? `{${entered}${entered === '' ? '' : ','}` : '},'
        const name = text(`${before}${JSON.stringify(column.name)}:{"after":`)
        return sql`${name}||${raw(column.type.jsonText(columnExpression({ alias: 'c', column })))}`
      }),
      '||',
    )}||'}}')::json`
  const members = membersOfNew([...numbers.map(({ column }) => column), ...calculated], 'c')
  return sql`('{'||concat_ws(',', nullif(${text(entered)}, ''), ${join(members, ', ')})||'}')::json`
}

/** `"field":{"after":…}` of each column that has a value in the row under an alias. */
const membersOfNew = (columns: readonly Column[], alias: string): readonly Sql[] =>
  columns.map((column) => {
    const value = jsonValue({ alias, column })
    const member = raw(`'${JSON.stringify(column.name)}:{"after":'||${value}||'}'`)
    return sql`CASE WHEN ${ref(column.name, alias)} IS NOT NULL THEN ${member} END`
  })

/** The changes of a new record that is in the row under an alias, as json: values of these columns, and what was calculated. */
export const changesOfRow = (entity: Entity, columns: readonly Column[], alias: string): Sql => {
  const members = membersOfNew([...columns, ...calculatedColumns(entity)], alias)
  return sql`('{'||concat_ws(',', ${join(members, ', ')})||'}')::json`
}

/**
 * `{"field": {"before": …, "after": …}}` of the columns that differ between the rows under two
 * aliases, as json; `more` holds further members as text, or null.
 */
export const changesBetween = (
  columns: readonly Column[],
  before: string,
  after: string,
  more: Sql = sql`NULL`,
): Sql => {
  const members = columns.map((column) => {
    const [old, now] = [before, after].map((alias) => jsonValue({ alias, column }))
    const name = JSON.stringify(column.name)
    const other = ref(column.name, after)
    const member = raw(
      `'${name}:{"before":'||coalesce(${old},'null')||',"after":'||coalesce(${now},'null')||'}'`,
    )
    return sql`CASE WHEN ${differs(column, before, other)} THEN ${member} END`
  })
  return sql`('{'||concat_ws(',', ${join([...members, more], ', ')})||'}')::json`
}

/** Adds the calculated fields to a row source of a new record, as the trigger of its table would calculate them. */
const calculatedRow = (catalog: Catalog, entity: Entity, entered: Sql): Sql => {
  const rollups = rollupsOf(catalog, entity).map(({ column, name }) => ({
    column,
    value: rollupFunctionOf(name).withoutRecords ?? 'NULL',
  }))
  const formulas = formulaColumns(entity).map((column) => ({
    column,
    value: formulaSql(entity, column, (name) => ref(name, 'r').parts.join('')),
  }))
  // One after the other: a formula may read the result of another.
  return [...rollups, ...formulas].reduce(
    (row, { column, value }) =>
      sql`(SELECT r.*, (${raw(value)})::${raw(column.type.sqlType())} AS ${ref(column.name)} FROM ${row} r)`,
    entered,
  )
}

/** Joins after a row of the table, and the alias of the row whose formulas are calculated from its other fields. */
export const recalculated = (entity: Entity, row: string): { joins: Sql; alias: string } => {
  let alias = row
  const joins = formulaColumns(entity).map((column, index) => {
    const value = formulaSql(entity, column, (name) => ref(name, alias).parts.join(''))
    const changed = sql`jsonb_build_object(${text(column.name)}, ${raw(value)})`
    const before = alias
    alias = `calculated${index}`
    return sql`CROSS JOIN LATERAL jsonb_populate_record(${raw(before)}, ${changed}) AS ${raw(alias)}`
  })
  return { joins: join(joins, ' '), alias }
}
