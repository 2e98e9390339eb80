/** The history of a record: who did what when, written in the transaction of the change itself. */

import { type Queryable, queryRows } from '../database/pool.ts'
import { bound, type Sql, sql, toStatement } from '../database/sql.ts'
import type { Column, Entity } from '../definitions/catalog.ts'
import type { SqlValue } from '../definitions/check-value.ts'
import type { Page } from '../query/select-plan.ts'

export type Operation = 'create' | 'change' | 'remove' | 'takeOwnership' | 'proceedToStep'

/** Field by field; a create has no `before`. */
export type Changes = Readonly<
  Record<string, { readonly before?: unknown; readonly after: unknown }>
>

export type HistoryEntry = {
  readonly entity: Entity
  readonly operation: Operation
  readonly changes: Changes
  readonly userId: number
}

/** `INSERT` of one entry for the ids that `ids` selects, to stand beside the change it tells of. */
export const insertHistory = (
  { entity, operation, changes, userId }: HistoryEntry,
  ids: Sql,
): Sql =>
  sql`INSERT INTO docket.history (entity_key, entity_id, operation, changes, user_id) SELECT ${bound(entity.key, 'text')}, c.id, ${bound(operation, 'text')}, ${bound(JSON.stringify(changes), 'json')}, ${bound(userId, 'integer')} FROM ${ids} c`

/** What a create tells: every value that is set. */
export const changesOfNew = (values: ReadonlyMap<Column, SqlValue>): Changes =>
  Object.fromEntries(
    [...values].flatMap(([column, value]) =>
      value === null ? [] : [[column.name, { after: readable(column, value) }]],
    ),
  )

/** A bound value as the record's JSON shows it. */
const readable = (column: Column, value: SqlValue): unknown => {
  if (column.field.type === 'json') return JSON.parse(String(value))
  if (column.field.type === 'bigint' && Number.isSafeInteger(Number(value))) return Number(value)
  return value
}

type HistoryRow = {
  readonly id: number
  readonly operation: string
  readonly changes: string
  readonly comment: string | null
  readonly user_id: number | null
  readonly full_name: string | null
  readonly at: string
}

/** Entries of one record, the newest first; fields that are hidden from the reader are left out. */
export const listHistory = async (
  database: Queryable,
  {
    entity,
    id,
    page,
    isVisible,
  }: {
    readonly entity: Entity
    readonly id: number
    readonly page: Page
    readonly isVisible: (name: string) => boolean
  },
) => {
  const statement = sql`SELECT h.id, h.operation, h.changes, h.comment, h.user_id, u.full_name, to_char(h.at, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS at FROM docket.history h LEFT JOIN records."user" u ON u.id = h.user_id WHERE h.entity_key = ${bound(entity.key, 'text')} AND h.entity_id = ${bound(id, 'integer')} ORDER BY h.id DESC LIMIT ${bound(page.limit, 'bigint')} OFFSET ${bound(page.offset, 'bigint')}`
  const rows = await queryRows<HistoryRow>(database, toStatement(statement))
  return rows.map((row) => ({
    id: row.id,
    operation: row.operation,
    changes: Object.fromEntries(
      Object.entries(JSON.parse(row.changes) as Changes).filter(([name]) => isVisible(name)),
    ),
    comment: row.comment,
    user: row.user_id === null ? null : { id: row.user_id, full_name: row.full_name },
    at: row.at,
  }))
}
