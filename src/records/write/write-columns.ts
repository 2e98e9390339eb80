/** Writes columns of one locked record, with its version and stamps, and finds what really changed. */

import { type Connection, queryOnce } from '../../database/pool.ts'
import {
  bound,
  identifier,
  join,
  raw,
  type Sql,
  sql,
  tableName,
  toStatement,
} from '../../database/sql.ts'
import type { Column, Entity } from '../../definitions/catalog.ts'
import type { SqlValue } from '../../definitions/values/check-value.ts'
import { jsonObject, jsonValue } from '../../query/record-json.ts'
import type { Changes } from '../history.ts'

type Update = {
  readonly entity: Entity
  readonly id: number
  readonly userId: number
  readonly values: ReadonlyMap<Column, SqlValue>
}

/** Updates and answers the fields that changed; values that stood there already change nothing. */
export const writeColumns = async (connection: Connection, update: Update): Promise<Changes> => {
  const { entity, id, values, userId } = update
  const columns = [...values.keys()]
  if (columns.length === 0) return {}
  const before = await readColumns(connection, entity, id, columns)
  const cells = [...values].map(
    ([column, value]) => sql`${raw(identifier(column.name))} = ${bound(value, column.type.cast)}`,
  )
  const statement = sql`UPDATE ${raw(tableName(entity.key))} SET ${join(cells, ', ')}, _updated_by = ${bound(userId, 'integer')}, _updated_at = greatest(now(), _updated_at), _version = _version + 1 WHERE id = ${bound(id, 'integer')} AND (${join([...values].map(differs), ' OR ')})`
  const { rowCount } = await connection.query(toStatement(statement))
  if (rowCount === 0) return {}
  return difference(before, await readColumns(connection, entity, id, columns))
}

const differs = ([column, value]: [Column, SqlValue]): Sql => {
  const { cast } = column.type
  const name = raw(identifier(column.name))
  // json has no equality of its own; its text is compact and written by us.
  return cast === 'json'
    ? sql`${name}::text IS DISTINCT FROM ${bound(value, 'text')}`
    : sql`${name} IS DISTINCT FROM ${bound(value, cast)}`
}

const readColumns = async (
  connection: Connection,
  entity: Entity,
  id: number,
  columns: readonly Column[],
): Promise<Record<string, unknown>> => {
  const object = jsonObject(
    columns.map((column) => ({ name: column.name, text: jsonValue({ alias: 't', column }) })),
  )
  const select = sql`SELECT ${raw(object)} AS json FROM ${raw(tableName(entity.key))} t WHERE t.id = ${bound(id, 'integer')}`
  const [row] = await queryOnce<{ json: string }>(connection, toStatement(select))
  return JSON.parse(row?.json ?? '{}')
}

const difference = (before: Record<string, unknown>, after: Record<string, unknown>): Changes =>
  Object.fromEntries(
    Object.entries(after)
      .filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name]))
      .map(([name, value]) => [name, { before: before[name], after: value }]),
  )
