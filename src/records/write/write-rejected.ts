/**
 * A write that is rejected. PostgreSQL reports only the first conflict with other records, so all of them are looked for
 * once the transaction has ended.
 */
import { indexedValue, sameIndexed } from '../../database/compared-values.ts'
import { type Queryable, queryOnce } from '../../database/pool.ts'
import {
  bound,
  int,
  join,
  notDeleted,
  nothing,
  ref,
  type Sql,
  sql,
  table,
} from '../../database/sql.ts'
import { type Column, type Entity, type Index, uniqueIndexes } from '../../definitions/catalog.ts'
import type { ErrorCode } from '../../error-kinds.ts'
import { type ApiError, validationError } from '../../errors.ts'
import type { Issue } from '../../issues.ts'
import { nameEndings } from '../../schema-sync/diff/schema.ts'
import type { FieldIssue } from './check-values.ts'
import type { ReferenceCheck, WriteContext } from './write-context.ts'
import type { Values } from './write-statements.ts'

/** Thrown in the transaction of a write; `withConflicts` turns it into the error for the caller. */
export class WriteRejected extends Error {
  override readonly name = 'WriteRejected'
  readonly values: Values
  readonly issues: readonly FieldIssue[]
  /** Of results that do not fit: their fields are named only if the writer's role may see them. */
  readonly results: readonly FieldIssue[]
  /** How the write asks for what it links to, where its context does not say so. */
  readonly references: ReferenceCheck | undefined

  constructor(
    values: Values,
    issues: readonly FieldIssue[] = [],
    results: readonly FieldIssue[] = [],
    references?: ReferenceCheck,
  ) {
    super('The write was rejected.')
    this.values = values
    this.issues = issues
    this.results = results
    this.references = references
  }
}

/** Runs a write that asks for what it links to by these references: why it is rejected is asked by them, too. */
export const askingBy = async <T>(
  references: ReferenceCheck,
  work: () => Promise<T>,
): Promise<T> => {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof WriteRejected)) throw error
    throw new WriteRejected(error.values, error.issues, error.results, references)
  }
}

// Raised by the trigger that calculates fields (schema-sync/calculations/calculation-sql.ts).
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

/** Whether a record that no write of the service made has the number that a series gives next. */
const isNumberTaken = (error: unknown): boolean =>
  String((error as { constraint?: unknown }).constraint).endsWith(nameEndings.series)

const numberTaken: FieldIssue = {
  path: '',
  message:
    'another record has the next number of a series already; an administrator raises it with "docket series --raise"',
  rule: 'conflict',
}

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
    const isGiven = values.keys().some(({ series }) => series)
    const ofSeries = isNumberTaken(error) && !isGiven ? [numberTaken] : []
    throw isConflict ? new WriteRejected(values, [...issues, ...ofSeries]) : error
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
    const { values, issues, results, references = context.references } = error
    const { entity, isHidden } = context
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

type Question = { readonly condition: Sql; readonly issue: FieldIssue }

type AttemptedWrite = {
  readonly entity: Entity
  readonly values: Values
  /** The record that is changed; undefined for a new one. */
  readonly id: number | undefined
  readonly references: ReferenceCheck
  /** Columns that the writer's role hides: no issue names them. */
  readonly isHidden: (column: Column) => boolean
}

/** Unique values that other records have, and references to records that do not exist for the caller. */
export const findConflicts = async (
  database: Queryable,
  write: AttemptedWrite,
): Promise<FieldIssue[]> => {
  const questions = [...uniqueQuestions(write), ...referenceQuestions(write)]
  if (questions.length === 0) return []
  const list = join(
    questions.map(({ condition }, index) => sql`${condition} AS ${ref(`q${index}`)}`),
    ', ',
  )
  const [row] = await queryOnce<Record<string, boolean>>(database, sql`SELECT ${list}`)
  return questions.flatMap(({ issue }, index) => (row?.[`q${index}`] ? [issue] : []))
}

const uniqueQuestions = ({ entity, values, id, isHidden }: AttemptedWrite): Question[] =>
  uniqueIndexes(entity).flatMap((index) => {
    const { columns, nullsNotDistinct } = index
    const given = columns.map((name) => {
      const column = entity.columnsByName.get(name)
      return { name, column, value: column && values.get(column) }
    })
    // Null is a duplicate only where the index says so, and a change cannot violate an index that it does not touch.
    const isNull = given.some(({ value }) => value === null)
    if (given.some(({ column }) => !column) || (isNull && !nullsNotDistinct)) return []
    if (given.every(({ value }) => value === undefined)) return []
    const same = given.map(({ name, column, value }) => {
      const cell = ref(name, 'u')
      if (value === null) return sql`${cell} IS NULL`
      const other =
        value === undefined
          ? sql`(SELECT ${ref(name)} FROM ${table(entity)} WHERE id = ${int(id ?? 0)})`
          : bound(value, column?.type.cast ?? 'text')
      const mayBeNull = value === undefined && nullsNotDistinct
      return mayBeNull
        ? sameIndexed(index, name, cell, other)
        : sql`${indexedValue(index, name, cell)} = ${indexedValue(index, name, other)}`
    })
    const others = id === undefined ? nothing : sql` AND u.id <> ${int(id)}`
    const seen = given.filter(({ column }) => column && !isHidden(column))
    const names = seen.map(({ name }) => name)
    return [
      {
        condition: sql`EXISTS (
          SELECT FROM ${table(entity)} u
          WHERE ${join(same, ' AND ')} AND ${isCounted(index, 'u')}${others}
        )`,
        issue: {
          // The last field of an index is the one that distinguishes records of the others.
          path: seen.findLast(({ value }) => value !== undefined)?.name ?? '',
          message: takenText(entity, index, names),
          ...(names.length > 1 && { combination: names }),
          rule: 'conflict',
        },
      },
    ]
  })

/** Whether an index counts the record under an alias: that of a series does so after its removal, too. */
export const isCounted = ({ kind }: Index, alias: string): Sql =>
  kind === 'series' ? sql`true` : notDeleted(alias)

/** Why a unique value is refused; `seen` are the names of its columns that the writer may see. */
export const takenText = (
  { key }: Entity,
  { columns, lowered, kind }: Index,
  seen: readonly string[],
): string => {
  const other = kind === 'series' ? `another ${key}, maybe a removed one,` : `another ${key}`
  const rule = lowered.length === 0 ? 'it must be unique' : 'it must be unique, whatever its case'
  if (seen.length === 0)
    return `${other} has the same value in a field that your role may not read; ${rule}`
  if (columns.length === 1) return `${other} has the same value; ${rule}`
  const others = seen.length < columns.length ? ' and fields that your role may not read' : ''
  return `${other} has the same combination of ${seen.join(', ')}${others}; ${rule}`
}

const referenceQuestions = ({ entity, values, id, references }: AttemptedWrite): Question[] =>
  [...values].flatMap(([column, value]) => {
    const reference = references(column, value)
    if (!reference) return []
    const message = `there is no ${reference.name} ${value} that you may read`
    const same = sql`${ref(column.name, 'u')} = ${bound(value, column.type.cast)}`
    // Only a new link needs a target; an unchanged link is accepted.
    const isNew =
      id === undefined
        ? nothing
        : sql` AND NOT EXISTS (SELECT FROM ${table(entity)} u WHERE u.id = ${int(id)} AND ${same})`
    return [
      {
        condition: sql`NOT ${reference.exists}${isNew}`,
        issue: { path: column.name, message, rule: 'refused' as const },
      },
    ]
  })

// The most severe rule decides the status: malformed before refused before conflict.
const weights = [
  { rule: 'malformed', code: 'request.invalid' },
  { rule: 'refused', code: 'record.invalid' },
  { rule: 'conflict', code: 'record.conflict' },
] as const

const codeOf = (rule: FieldIssue['rule']) =>
  weights.find((weight) => weight.rule === rule)?.code ?? 'record.conflict'

/** One error of a code: its issues have only those codes that are others. */
export const mixedError = (code: ErrorCode, issues: readonly Issue[]): ApiError =>
  validationError(
    code,
    issues.map(({ code: own = code, ...issue }) =>
      own === code ? issue : { ...issue, code: own },
    ),
  )

/** One error for all issues. */
export const recordError = (issues: readonly FieldIssue[]): ApiError => {
  const weight = weights.find(({ rule }) => issues.some((issue) => issue.rule === rule))
  return mixedError(
    weight?.code ?? 'record.conflict',
    issues.map(({ rule, ...issue }) => ({ ...issue, code: codeOf(rule) })),
  )
}
