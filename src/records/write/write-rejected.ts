/** A write that is rejected. The other conflicts are looked for once its transaction has ended. */
import type { Queryable } from '../../database/pool.ts'
import type { FieldIssue } from './check-values.ts'
import { findConflicts, recordError } from './find-conflicts.ts'
import type { WriteContext } from './write-context.ts'
import type { Values } from './write-record.ts'

/** Thrown in the transaction of a write; `withConflicts` turns it into the error for the caller. */
export class WriteRejected extends Error {
  override readonly name = 'WriteRejected'
  readonly values: Values
  readonly issues: readonly FieldIssue[]
  /** Of results that do not fit: their fields are named only if the writer's role may see them. */
  readonly results: readonly FieldIssue[]

  constructor(
    values: Values,
    issues: readonly FieldIssue[] = [],
    results: readonly FieldIssue[] = [],
  ) {
    super('The write was rejected.')
    this.values = values
    this.issues = issues
    this.results = results
  }
}

// Raised by the trigger that calculates fields (schema-sync/calculations/trigger-body.ts).
const outOfRangeCodes = new Set(['22003', '22008'])

/** Whether the result of a calculation does not fit. */
export const isOutOfRange = (error: unknown): error is Error =>
  error instanceof Error && outOfRangeCodes.has(String((error as { code?: unknown }).code))

/** The issue of a calculated field whose result does not fit; the trigger names its column. */
const calculationIssue = (error: unknown): FieldIssue | undefined => {
  const { column = '' } = (error ?? {}) as { column?: string }
  return isOutOfRange(error)
    ? { path: column, message: 'is calculated, and the result does not fit', rule: 'refused' }
    : undefined
}

// 23505 unique_violation, 23503 foreign_key_violation.
const conflictCodes = new Set(['23505', '23503'])

/** Runs a statement of a write. A conflict with other records becomes a WriteRejected. */
export const catchConflicts = async <T>(
  values: Values,
  run: () => Promise<T>,
  /** Issues of a conflict that the values do not show. */
  issues: readonly FieldIssue[] = [],
): Promise<T> => {
  try {
    return await run()
  } catch (error) {
    const isConflict =
      error instanceof Error && conflictCodes.has(String((error as { code?: unknown }).code))
    const calculated = calculationIssue(error)
    if (calculated) throw new WriteRejected(values, [], [calculated])
    throw isConflict ? new WriteRejected(values, issues) : error
  }
}

type Options = {
  /** A connection outside the transaction: a failed transaction takes no further statement. */
  readonly database: Queryable
  readonly context: Pick<WriteContext, 'entity' | 'references' | 'isHidden'>
  /** The record that is changed; undefined for a new one. */
  readonly id?: number
  /** The path of a column in the body; by default its name. */
  readonly pathOf?: (column: string) => string
}

/** Runs a write with its transaction. If it is rejected, throws one error with every issue. */
export const withConflicts = async <T>(
  { database, context, id, pathOf = (column) => column }: Options,
  work: () => Promise<T>,
): Promise<T> => {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof WriteRejected)) throw error
    const { values, issues, results } = error
    const { entity, references, isHidden } = context
    // None may be found: the other record may have been changed in between.
    const conflicts = await findConflicts(database, { entity, values, id, references, isHidden })
    const placed = conflicts.map((conflict) => ({ ...conflict, path: pathOf(conflict.path) }))
    const fitting = results.map((issue) => unnamed(issue, entity, isHidden))
    throw recordError([...issues, ...fitting, ...placed])
  }
}

/** Without the name of a field that the writer's role hides. */
const unnamed = (
  issue: FieldIssue,
  entity: WriteContext['entity'],
  isHidden: WriteContext['isHidden'],
): FieldIssue => {
  const column = entity.columnsByName.get(issue.path)
  return column && isHidden(column) ? { ...issue, path: '' } : issue
}
