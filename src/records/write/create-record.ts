/**
 * Creates a record: values, references and history in one statement, which is one transaction and
 * one way to the database.
 */

import { type Queryable, queryRows } from '../../database/pool.ts'
import {
  bound,
  identifier,
  int,
  join,
  raw,
  type Sql,
  sql,
  table,
  text,
  toStatement,
} from '../../database/sql.ts'
import type { Column, Entity } from '../../definitions/catalog.ts'
import type { SqlValue } from '../../definitions/values/check-value.ts'
import { recordList } from '../../query/record-list.ts'
import { changesOfNew, insertHistory } from '../history.ts'
import { messagesOf } from './after-change.ts'
import { checkNewValues } from './check-values.ts'
import { guardRoleKey } from './guard-role-keys.ts'
import { RefusedWrite, refusable } from './refusal.ts'
import type { Writing } from './writing.ts'

export type CreatedRecord = { readonly id: number; readonly version: number; readonly json: string }

/** The new record as its creator may see it, or a RefusedWrite. */
export const createRecord = async (
  database: Queryable,
  writing: Writing,
  body: unknown,
): Promise<CreatedRecord> => {
  const { values, issues } = checkNewValues({ ...writing, body })
  if (issues.length > 0) throw new RefusedWrite(values, issues)
  await guardRoleKey(database, writing, values)
  const statement = toStatement(insertRecord(writing, values))
  const [row] = await refusable(values, () => queryRows<CreatedRecord>(database, statement))
  // No row: a record that it links to is not there.
  if (!row) throw new RefusedWrite(values)
  return row
}

const insertRecord = (writing: Writing, values: ReadonlyMap<Column, SqlValue>): Sql => {
  const { entity, userId, references } = writing
  const cells = [
    ...[...values].map(([column, value]) => ({
      name: column.name,
      value: bound(value, column.type.cast),
    })),
    ...auditColumns(entity, userId),
  ]
  const conditions = [...values].flatMap(
    ([column, value]) => references(column, value)?.exists ?? [],
  )
  const guard = conditions.length === 0 ? raw('') : sql` WHERE ${join(conditions, ' AND ')}`
  const names = raw(cells.map(({ name }) => identifier(name)).join(', '))
  const list = join(
    cells.map(({ value }) => value),
    ', ',
  )
  const change = { entity, operation: 'create', changes: changesOfNew(values), userId } as const
  const history = insertHistory(change, raw('created'))
  const told = messagesOf(change, raw('t.id'))
  const messages = told.length === 0 ? raw('') : sql`, ${join(told, ', ')}`
  return sql`
    WITH created AS (
      INSERT INTO ${table(entity)} (${names})
      SELECT ${list}${guard}
      RETURNING *
    ),
    told AS (${history})
    SELECT t.id, t._version AS version, ${raw(selectVisibleJson(writing))} AS json${messages}
    FROM created t`
}

/** What the service itself writes into a new record. */
export const auditColumns = ({ hasOwner, hasWorkflow, definition }: Entity, userId: number) => {
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

/** The record as its writer may see it; nothing when the role may create but not read. */
export const selectVisibleJson = ({ catalog, entity, access, timeZone }: Writing): string =>
  recordList({ catalog, entity, access, timeZone, includes: [] }).json
