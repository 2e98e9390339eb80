/** Changes, removes and takes over a record: each locks it, checks that it is still what was read, and tells its history. */

import { type Connection, type Pool, queryRows } from '../database/pool.ts'
import {
  bound,
  identifier,
  join,
  raw,
  type Sql,
  sql,
  tableName,
  toStatement,
} from '../database/sql.ts'
import { transaction } from '../database/transaction.ts'
import type { Column, Entity } from '../definitions/catalog.ts'
import { administratorRole } from '../definitions/check-role.ts'
import type { SqlValue } from '../definitions/check-value.ts'
import { fault } from '../errors.ts'
import { compileScope } from '../query/compile-select.ts'
import { jsonObject, jsonValue } from '../query/record-json.ts'
import { checkGivenValues } from './check-values.ts'
import { visibleJson } from './create-record.ts'
import { faultOfValues } from './explain-refusal.ts'
import { type Changes, insertHistory, type Operation } from './history.ts'
import { type RecordText, unknownRecord } from './read-records.ts'
import { explained, RefusedWrite, refusable } from './refusal.ts'
import type { Writing } from './writing.ts'

/** Decides by the record's version whether it is still what the caller has read. */
type Precondition = (version: number) => boolean

type Target = { readonly id: number; readonly precondition: Precondition }

/** Writes the fields that the body names; one that already holds its value changes nothing. */
export const changeRecord = async (
  pool: Pool,
  writing: Writing,
  target: Target,
  body: unknown,
): Promise<RecordText> => {
  const { values, mistakes } = checkGivenValues({ ...writing, body })
  if (mistakes.length === 0 && values.size === 0)
    throw faultOfValues([{ path: '', message: 'names no field to change', rule: 'malformed' }])
  return explained(pool, writing, target.id, () =>
    transaction(pool, async (connection) => {
      // First of all: nothing is told of other values to whom the record is not there.
      await lockRecord(connection, writing, target)
      if (mistakes.length > 0) throw new RefusedWrite(values, mistakes)
      if (await lacksReference(connection, writing, target.id, values))
        throw new RefusedWrite(values)
      return refusable(values, () => writeColumns(connection, writing, target.id, values, 'change'))
    }),
  )
}

/** Removes softly: the row stays for history and for records that link to it. */
export const removeRecord = async (pool: Pool, writing: Writing, target: Target): Promise<void> => {
  await transaction(pool, async (connection) => {
    await lockRecord(connection, writing, target)
    await writeSystemColumn(connection, writing, target.id, '_is_deleted', true, 'remove')
  })
}

/** Makes the caller the owner. */
export const takeOwnership = (pool: Pool, writing: Writing, target: Target): Promise<RecordText> =>
  transaction(pool, async (connection) => {
    await lockRecord(connection, writing, target)
    const { userId } = writing
    return writeSystemColumn(connection, writing, target.id, '_owned_by', userId, 'takeOwnership')
  })

/** Locks the record, or throws 404 (not there or unreadable), 403 (out of reach) or 412 (stale). */
const lockRecord = async (
  connection: Connection,
  writing: Writing,
  { id, precondition }: Target,
): Promise<void> => {
  const { entity, scope, access } = writing
  const inScope = sql`${compileScope(scope, entity.hasOwner, 't')} AND ${guardAdministrators(writing)}`
  const readable = compileScope(access.readScope(entity), entity.hasOwner, 't')
  // Ids never change, so records that link here are not kept waiting, nor in a circle.
  const select = sql`SELECT t._version AS version, ${inScope} AS in_scope, ${readable} AS readable FROM ${raw(tableName(entity.key))} t WHERE t.id = ${bound(id, 'integer')} AND NOT t._is_deleted FOR NO KEY UPDATE`
  const [row] = await queryRows<{ version: number; in_scope: boolean; readable: boolean }>(
    connection,
    toStatement(select),
  )
  if (!row?.readable) throw unknownRecord(entity, id)
  if (!row.in_scope)
    throw fault('caller.forbidden', `The right does not reach ${entity.key} ${id}.`)
  if (!precondition(row.version))
    throw fault('record.stale', `${entity.key} ${id} has changed since you read it.`, {
      headers: { ETag: etagOf(row.version) },
    })
}

// Whoever may change users could otherwise make an administrator's account their own; and without
// its role no administrator could come in any more.
const guardAdministrators = ({ entity, isAdministrator }: Writing): Sql => {
  const key = bound(administratorRole, 'text')
  if (entity.key === 'security_role') return sql`t.key <> ${key}`
  if (entity.key !== 'user' || isAdministrator) return raw('true')
  return sql`NOT EXISTS (SELECT FROM ${raw(tableName('security_role'))} r WHERE r.id = t.security_role_id AND r.key = ${key})`
}

/** The entity tag of a record's version (RFC 9110, 8.8.3). */
export const etagOf = (version: number): string => `"${version}"`

const lacksReference = async (
  connection: Connection,
  { entity, references }: Writing,
  id: number,
  values: ReadonlyMap<Column, SqlValue>,
): Promise<boolean> => {
  const conditions = [...values].flatMap(([column, value]) => {
    const exists = references(column, value)
    // A link that is there already may be sent again, whatever became of its target.
    const same = raw(`t.${identifier(column.name)} =`)
    return exists ? [sql`(${same} ${bound(value, column.type.cast)} OR ${exists})`] : []
  })
  if (conditions.length === 0) return false
  const select = sql`SELECT ${join(conditions, ' AND ')} AS found FROM ${raw(tableName(entity.key))} t WHERE t.id = ${bound(id, 'integer')}`
  const [row] = await queryRows<{ found: boolean | null }>(connection, toStatement(select))
  return !row?.found
}

const writeSystemColumn = (
  connection: Connection,
  writing: Writing,
  id: number,
  name: string,
  value: SqlValue,
  operation: Operation,
): Promise<RecordText> => {
  const column = writing.entity.columnsByName.get(name)
  if (!column) throw new Error(`The entity ${writing.entity.key} has no column ${name}.`)
  return writeColumns(connection, writing, id, new Map([[column, value]]), operation)
}

/** Updates, with version and stamps, and tells the fields that really changed. */
const writeColumns = async (
  connection: Connection,
  writing: Writing,
  id: number,
  values: ReadonlyMap<Column, SqlValue>,
  operation: Operation,
): Promise<RecordText> => {
  const { entity, userId } = writing
  const before = await readColumns(connection, entity, id, [...values.keys()])
  const cells = [...values].map(
    ([column, value]) => sql`${raw(identifier(column.name))} = ${bound(value, column.type.cast)}`,
  )
  const differs = [...values].map(([column, value]) => {
    const { cast } = column.type
    const name = identifier(column.name)
    // json has no equality of its own; its text is compact and written by us.
    return cast === 'json'
      ? sql`${raw(name)}::text IS DISTINCT FROM ${bound(value, 'text')}`
      : sql`${raw(name)} IS DISTINCT FROM ${bound(value, cast)}`
  })
  const update = sql`UPDATE ${raw(tableName(entity.key))} SET ${join(cells, ', ')}, _updated_by = ${bound(userId, 'integer')}, _updated_at = greatest(now(), _updated_at), _version = _version + 1 WHERE id = ${bound(id, 'integer')} AND (${join(differs, ' OR ')})`
  await connection.query(toStatement(update))
  const after = await readColumns(connection, entity, id, [...values.keys()])
  const changes = difference(before, after)
  if (Object.keys(changes).length > 0) {
    const ids = sql`(SELECT ${bound(id, 'integer')} AS id)`
    await connection.query(toStatement(insertHistory({ entity, operation, changes, userId }, ids)))
  }
  const select = sql`SELECT ${raw(visibleJson(writing))} AS json, t._version AS version FROM ${raw(tableName(entity.key))} t WHERE t.id = ${bound(id, 'integer')}`
  const [row] = await queryRows<RecordText>(connection, toStatement(select))
  if (!row) throw unknownRecord(entity, id)
  return row
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
  const [row] = await queryRows<{ json: string }>(connection, toStatement(select))
  return JSON.parse(row?.json ?? '{}')
}

const difference = (before: Record<string, unknown>, after: Record<string, unknown>): Changes =>
  Object.fromEntries(
    Object.entries(after)
      .filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name]))
      .map(([name, value]) => [name, { before: before[name], after: value }]),
  )
