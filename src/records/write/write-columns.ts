/** Writes columns of one locked record, with its version and stamps, and finds what really changed. */

import { type Connection, execute, queryOnce } from '../../database/pool.ts'
import { bound, int, join, raw, ref, type Sql, sql, table } from '../../database/sql.ts'
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
    ([column, value]) => sql`${ref(column.name)} = ${bound(value, column.type.cast)}`,
  )
  const statement = sql`
    UPDATE ${table(entity)}
    SET ${join(cells, ', ')}, _updated_by = ${int(userId)},
      _updated_at = greatest(now(), _updated_at), _version = _version + 1
    WHERE id = ${int(id)} AND (${join([...values].map(differs), ' OR ')})`
  if ((await execute(connection, statement)) === 0) return {}
  return difference(before, await readColumns(connection, entity, id, columns))
}

const differs = ([column, value]: [Column, SqlValue]): Sql => {
  const { cast } = column.type
  const name = ref(column.name)
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
  const select = sql`SELECT ${raw(object)} AS json FROM ${table(entity)} t WHERE t.id = ${int(id)}`
  const [row] = await queryOnce<{ json: string }>(connection, select)
  return JSON.parse(row?.json ?? '{}')
}

const difference = (before: Record<string, unknown>, after: Record<string, unknown>): Changes =>
  Object.fromEntries(
    Object.entries(after)
      .filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name]))
      .map(([name, value]) => [name, { before: before[name], after: value }]),
  )
