/**
 * Finds every conflict of values with other records. PostgreSQL reports only the first one, so this runs after
 * PostgreSQL has rejected a statement, or when the values have other issues.
 */

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
import { type Column, type Entity, uniqueIndexes } from '../../definitions/catalog.ts'
import type { SqlValue } from '../../definitions/values/check-value.ts'
import { type ApiError, validationError } from '../../errors.ts'
import type { ReferenceCheck } from '../references.ts'
import type { FieldIssue } from './check-values.ts'

type Question = { readonly condition: Sql; readonly issue: FieldIssue }

type AttemptedWrite = {
  readonly entity: Entity
  readonly values: ReadonlyMap<Column, SqlValue>
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
  uniqueIndexes(entity).flatMap(({ columns }) => {
    const given = columns.map((name) => {
      const column = entity.columnsByName.get(name)
      return { name, column, value: column && values.get(column) }
    })
    // Null is never a duplicate, and a change cannot violate an index that it does not touch.
    if (given.some(({ column, value }) => !column || value === null)) return []
    if (given.every(({ value }) => value === undefined)) return []
    const same = given.map(({ name, column, value }) =>
      value === undefined
        ? sql`${ref(name, 'u')} = (SELECT ${ref(name)} FROM ${table(entity)} WHERE id = ${int(id ?? 0)})`
        : sql`${ref(name, 'u')} = ${bound(value, column?.type.cast ?? 'text')}`,
    )
    const others = id === undefined ? nothing : sql` AND u.id <> ${int(id)}`
    const seen = given.filter(({ column }) => column && !isHidden(column))
    const names = seen.map(({ name }) => name)
    return [
      {
        condition: sql`EXISTS (
          SELECT FROM ${table(entity)} u
          WHERE ${join(same, ' AND ')} AND ${notDeleted('u')}${others}
        )`,
        issue: {
          // The last field of an index is the one that tells records of the others apart.
          path: seen.findLast(({ value }) => value !== undefined)?.name ?? '',
          message: takenText(entity, columns.length, names),
          ...(names.length > 1 && { combination: names }),
          rule: 'conflict',
        },
      },
    ]
  })

const takenText = ({ key }: Entity, count: number, seen: readonly string[]): string => {
  if (seen.length === 0)
    return `has a value that another ${key} has too, in a field that your role may not read; it must be unique`
  if (count === 1) return `is already used by another ${key}; it must be unique`
  const others = seen.length < count ? ' and fields that your role may not read' : ''
  return `is already used by another ${key} in this combination of ${seen.join(', ')}${others}; it must be unique`
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

/** One error for all issues. */
export const recordError = (issues: readonly FieldIssue[]): ApiError => {
  const weight = weights.find(({ rule }) => issues.some((issue) => issue.rule === rule))
  return validationError(
    weight?.code ?? 'record.conflict',
    issues.map(({ rule: _, ...issue }) => issue),
  )
}
