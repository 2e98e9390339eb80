/** Locks the record to write, or throws the reason why it cannot be written: the first step of every change. */

import { type Connection, queryRow } from '../../../database/pool.ts'
import { int, notDeleted, nothing, type Sql, sql, table } from '../../../database/sql.ts'
import type { Entity } from '../../../definitions/catalog.ts'
import { type ApiError, apiError } from '../../../errors.ts'
import { holds, type Precondition } from '../../../http/preconditions.ts'
import { compileScope } from '../../../query/compile-select.ts'
import { unknownRecord } from '../../read-records.ts'
import { mayWrite } from '../native-guards.ts'
import type { WriteContext } from '../write-context.ts'
import { lockAhead } from './lock-ahead.ts'
import { needsOthers, type WriteNeeds } from './write-needs.ts'

/** The record that a request means. */
export type Target = { readonly id: number; readonly precondition: Precondition }

/** What is known of a record once it is locked. */
export type LockedRecord = { readonly isRemoved: boolean; readonly version: number }

/**
 * Locks the record with all that its write needs, or throws 404 (not there or unreadable), 403 (out of reach) or 412 (stale).
 */
export const lockRecord = (
  connection: Connection,
  context: WriteContext,
  target: Target,
  needs: WriteNeeds,
): Promise<LockedRecord> => lock(connection, context, target, needs, notDeleted('t'))

/** Locks the record in the same way, also if it was removed. */
export const lockRecordOrRemoved = (
  connection: Connection,
  context: WriteContext,
  target: Target,
  needs: WriteNeeds,
): Promise<LockedRecord> => lock(connection, context, target, needs, sql`true`)

const lock = async (
  connection: Connection,
  context: WriteContext,
  { id, precondition }: Target,
  needs: WriteNeeds,
  condition: Sql,
): Promise<LockedRecord> => {
  const ahead =
    context.lockedAhead ??
    (needsOthers(context, needs)
      ? await lockAhead(connection, context, needs, [id], condition)
      : undefined)
  const isToLock = ahead === undefined || ahead.has(id)
  const { entity, scope, access } = context
  const inScope = sql`${compileScope(scope, entity.hasOwner, 't')} AND ${mayWrite(context)}`
  const readable = compileScope(access.readScope(entity), entity.hasOwner, 't')
  // NO KEY: ids never change, so writers of records that link to this one neither wait nor deadlock.
  const select = sql`
    SELECT t._version AS version, t._is_deleted AS is_removed, ${inScope} AS in_scope,
      ${readable} AS readable
    FROM ${table(entity)} t
    WHERE t.id = ${int(id)} AND ${condition}
    ${isToLock ? sql`FOR NO KEY UPDATE` : nothing}`
  const row = await queryRow<Locked>(connection, select)
  if (!row?.readable) throw unknownRecord(entity, id)
  if (!row.in_scope)
    throw apiError('caller.forbidden', `The permission does not include ${entity.key} ${id}.`)
  const isLate = !isToLock && context.lockedAhead === undefined
  if (isLate || !holds(precondition, row.version)) throw staleRecord(entity, id, row.version)
  return { isRemoved: row.is_removed, version: row.version }
}

/** The error of a record that somebody else has changed. */
export const staleRecord = ({ key }: Entity, id: number, version?: number): ApiError =>
  apiError('record.stale', `${key} ${id} has changed since you read it.`, {
    ...(version !== undefined && { headers: { ETag: etagOf(version) } }),
  })

type Locked = {
  readonly version: number
  readonly is_removed: boolean
  readonly in_scope: boolean
  readonly readable: boolean
}

/** The entity tag of a record's version (RFC 9110, 8.8.3), and of how it is seen if not as a whole. */
export const etagOf = (version: number, sight?: string): string =>
  sight === undefined ? `"${version}"` : `"${version}.${sight}"`
