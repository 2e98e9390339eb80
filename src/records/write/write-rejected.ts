/** A write that cannot be: what is wrong so far; every other conflict is found once its transaction has ended. */
import type { Queryable } from '../../database/pool.ts'
import type { FieldIssue } from './check-values.ts'
import { findConflicts, recordError } from './find-conflicts.ts'
import type { WriteContext } from './write-context.ts'
import type { Values } from './write-record.ts'

/** Thrown inside a transaction; `withConflicts` turns it into the error that the caller gets. */
export class WriteRejected extends Error {
  override readonly name = 'WriteRejected'
  readonly values: Values
  readonly issues: readonly FieldIssue[]

  constructor(values: Values, issues: readonly FieldIssue[] = []) {
    super('The write was rejected.')
    this.values = values
    this.issues = issues
  }
}

// 23505 unique_violation, 23503 foreign_key_violation.
const conflictCodes = new Set(['23505', '23503'])

/** Runs a statement of a write; where other records stand against it, PostgreSQL's error becomes a WriteRejected. */
export const catchConflicts = async <T>(values: Values, run: () => Promise<T>): Promise<T> => {
  try {
    return await run()
  } catch (error) {
    const isConflict =
      error instanceof Error && conflictCodes.has(String((error as { code?: unknown }).code))
    throw isConflict ? new WriteRejected(values) : error
  }
}

type Options = {
  /** A connection outside the transaction: inside one that failed nothing can be asked any more. */
  readonly database: Queryable
  readonly context: WriteContext
  /** The record that is changed; undefined for a new one. */
  readonly id?: number
  /** Where the value of a column stands in the body; its name where nothing is said. */
  readonly pathOf?: (column: string) => string
}

/** Does the work of a write, with its transaction; where it is rejected, the error names every issue. */
export const withConflicts = async <T>(
  { database, context, id, pathOf = (column) => column }: Options,
  work: () => Promise<T>,
): Promise<T> => {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof WriteRejected)) throw error
    const { values, issues } = error
    const { entity, references, isHidden } = context
    // Nothing may be found any more: the other record went away in between.
    const conflicts = await findConflicts(database, { entity, values, id, references, isHidden })
    const placed = conflicts.map((conflict) => ({ ...conflict, path: pathOf(conflict.path) }))
    throw recordError([...issues, ...placed])
  }
}
