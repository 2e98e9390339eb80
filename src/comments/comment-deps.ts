/** What every path of comments needs: who calls, and what they may do with the comments of a record. */
import type { Caller } from '../auth/caller.ts'
import { int, notDeleted, type Sql, sql, table, text } from '../database/sql.ts'
import { type Entity, getEntity } from '../definitions/catalog.ts'
import { type CommentSettings, commentSettings } from '../definitions/comments.ts'
import { apiError } from '../errors.ts'
import { compileScope } from '../query/compile-scope.ts'
import type { RecordDeps } from '../records/record-request.ts'

export type CommentContext = {
  readonly deps: RecordDeps
  readonly caller: Caller
  /** The entity of the records. */
  readonly entity: Entity
  readonly comment: Entity
  readonly settings: CommentSettings
}

/** The context of an entity whose records have comments; `refuseWithout` has asked. */
export const createCommentContext = (
  deps: RecordDeps,
  { caller, entity }: { readonly caller: Caller; readonly entity: Entity },
): CommentContext => {
  const settings = commentSettings(entity)
  if (!settings) throw refuseWithout(entity) ?? new Error(`${entity.key} has no comments.`)
  return { deps, caller, entity, settings, comment: getEntity(deps.catalog, 'comment') }
}

/** Why an entity has no paths of comments. */
export const refuseWithout = (entity: Entity) =>
  commentSettings(entity)
    ? undefined
    : apiError(
        'request.no-such-path',
        `The records of ${entity.key} have no comments: its definition has no "comments".`,
      )

/** Conditions on a record under the alias `r`: may the caller read it, write comments on it, and see internal ones. */
export const reachOf = ({ deps, caller, entity }: Omit<CommentContext, 'settings'>) => {
  const inScope = (right: 'read' | 'comments' | 'internalComments') =>
    compileScope(deps.permissions.scopeOf(caller, right, entity), entity.hasOwner, 'r')
  const isReadable = inScope('read')
  return {
    isReadable,
    mayWrite: sql`(${isReadable} AND ${inScope('comments')})`,
    seesInternal: sql`(${isReadable} AND ${inScope('internalComments')})`,
  }
}

/** The record under the alias `r`, if it is there. */
export const recordAt = ({ entity }: Pick<CommentContext, 'entity'>, id: number): Sql =>
  sql`${table(entity)} r WHERE r.id = ${int(id)} AND ${notDeleted('r')}`

/** Whether the comment under the alias `t` belongs to a record. */
export const isOfRecord = ({ entity }: Pick<CommentContext, 'entity'>, id: number): Sql =>
  sql`t.key = ${text(entity.key)} AND t.entity_id = ${int(id)}`

/** The error of a comment that does not exist, was removed, is not of this record, or is not for the caller. */
export const unknownComment = (
  { entity }: { readonly entity: Pick<Entity, 'key'> },
  id: number | string,
  commentId: number | string,
) => apiError('comment.unknown', `There is no comment ${commentId} on ${entity.key} ${id}.`)
