/** A write that cannot be: what is wrong so far, explained only after its transaction has ended. */
import type { Queryable } from '../../database/pool.ts'
import type { Column } from '../../definitions/catalog.ts'
import type { SqlValue } from '../../definitions/values/check-value.ts'
import type { FieldIssue } from './check-values.ts'
import { findConflicts, recordError } from './explain-refusal.ts'
import type { Writing } from './writing.ts'

/** Thrown inside a transaction; `explained` turns it into the error that the caller gets. */
export class RefusedWrite extends Error {
  readonly values: ReadonlyMap<Column, SqlValue>
  readonly issues: readonly FieldIssue[]

  constructor(values: ReadonlyMap<Column, SqlValue>, issues: readonly FieldIssue[] = []) {
    super('The write was refused.')
    this.values = values
    this.issues = issues
  }
}

// 23505 unique_violation, 23503 foreign_key_violation.
const refusals = new Set(['23505', '23503'])

/** Runs a statement of a write; what PostgreSQL refuses for other records' sake is a RefusedWrite. */
export const refusable = async <T>(
  values: ReadonlyMap<Column, SqlValue>,
  run: () => Promise<T>,
): Promise<T> => {
  try {
    return await run()
  } catch (error) {
    const isRefusal =
      error instanceof Error && refusals.has(String((error as { code?: unknown }).code))
    throw isRefusal ? new RefusedWrite(values) : error
  }
}

/**
 * Does the work of a write, with its transaction; when it is refused, every issue is found on a
 * connection that is free, since one inside a transaction that failed cannot be asked any more.
 */
export const explained = async <T>(
  lookup: Queryable,
  { entity, references, isHidden }: Writing,
  /** The record that is changed; undefined for a new one. */
  id: number | undefined,
  work: () => Promise<T>,
): Promise<T> => {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof RefusedWrite)) throw error
    const { values, issues } = error
    // Nothing may be found any more: the other record went away in between.
    const conflicts = await findConflicts(lookup, { entity, values, id, references, isHidden })
    throw recordError([...issues, ...conflicts])
  }
}
