/** Compares two states of a record in SQL, and builds the difference as the history stores it. */

import { join, raw, ref, type Sql, sql } from '../../database/sql.ts'
import type { Column } from '../../definitions/catalog.ts'
import { jsonValue } from '../../query/record-json.ts'

/** Whether the column of the row under an alias differs from another value; nulls are equal. */
export const differs = (column: Column, alias: string, other: Sql): Sql => {
  const name = ref(column.name, alias)
  // The type json has no equality operator; the service writes its text in compact form.
  return column.type.cast === 'json'
    ? sql`${name}::text IS DISTINCT FROM (${other})::text`
    : sql`${name} IS DISTINCT FROM ${other}`
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
