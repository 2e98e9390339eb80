/**
 * Files of comments (docs/comments.md): values of the field `files` of the native entity, so that uploads become files of a comment as
 * they become files of a record.
 */
import type { Queryable } from '../database/pool.ts'
import type { ShownFile } from '../definitions/field-types/files.ts'
import type { FieldIssue } from '../records/write/check-values.ts'
import { takeFiles } from '../records/write/take-files.ts'
import { WriteRejected } from '../records/write/write-rejected.ts'
import type { Values } from '../records/write/write-statements.ts'
import type { CommentContext } from './comment-deps.ts'

type Taken = {
  readonly values: Values
  /** Makes the files of the comment, which is there by then. */
  readonly keep: (id: number) => Promise<void>
  readonly issues: readonly FieldIssue[]
}

/** What the values ask of the files of a comment, in the transaction that writes it. */
export const takeFilesOf = async (
  database: Queryable,
  { comment, caller: { userId } }: CommentContext,
  values: Values,
  id: number | 'new',
): Promise<Taken> => {
  try {
    const taken = await takeFiles(database, { entity: comment, userId }, values, { id })
    return { ...taken, issues: [] }
  } catch (error) {
    if (!(error instanceof WriteRejected)) throw error
    return { values, keep: async () => undefined, issues: error.issues }
  }
}

/** The files that JSON of a comment says. */
export const filesIn = (json: unknown): readonly ShownFile[] =>
  typeof json === 'string' ? JSON.parse(json) : []

/** Whether two lists have the same files in the same order. */
export const areSameFiles = (one: readonly ShownFile[], other: readonly ShownFile[]): boolean =>
  one.length === other.length && one.every(({ id }, at) => id === other[at]?.id)
