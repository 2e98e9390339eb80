/** Compares two states of a record in SQL, and builds the difference as the history stores it. */

import { join, raw, ref, type Sql, sql, text } from '../../database/sql.ts'
import { type Column, calculatedColumns, type Entity } from '../../definitions/catalog.ts'
import { jsonValue } from '../../query/record-json.ts'
import type { Changes } from '../history.ts'

/** Whether the column of the row under an alias differs from another value; nulls are equal. */
export const differs = (column: Column, alias: string, other: Sql): Sql => {
  const name = ref(column.name, alias)
  // The type json has no equality operator; the service writes its text in compact form.
  return column.type.cast === 'json'
    ? sql`${name}::text IS DISTINCT FROM (${other})::text`
    : sql`${name} IS DISTINCT FROM ${other}`
}

/** The changes of a new record together with what was calculated in the row under an alias, as json. */
export const withCalculated = (entity: Entity, changes: Changes, alias: string): Changes | Sql => {
  const calculated = calculatedColumns(entity)
  if (calculated.length === 0) return changes
  const entered = JSON.stringify(changes).slice(1, -1)
  const members = calculated.map((column) => {
    const value = jsonValue({ alias, column })
    const member = raw(`'${JSON.stringify(column.name)}:{"after":'||${value}||'}'`)
    return sql`CASE WHEN ${ref(column.name, alias)} IS NOT NULL THEN ${member} END`
  })
  return sql`('{'||concat_ws(',', nullif(${text(entered)}, ''), ${join(members, ', ')})||'}')::json`
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
