/** The rules of fields that the database does not hold by itself, and what in SQL breaks them. */

import { createHash } from 'node:crypto'
import { bound, int, raw, ref, type Sql, sql } from '../../database/sql.ts'
import type { Column } from '../../definitions/catalog.ts'
import { fieldTypeOf, withoutRules } from '../../definitions/field-types.ts'
import { printSql } from '../diff/change.ts'

/** A text that is the same as long as the rules of a field are; undefined where it has none. */
export const ruleDigest = (rule: unknown): string =>
  createHash('sha256').update(JSON.stringify(rule)).digest('hex').slice(0, 32)

type Limit = {
  /** As in "at most 10 characters". */
  readonly words: string
  /** True for a value that breaks it; undefined: only the check of a value can tell. */
  readonly broken: ((cell: Sql) => Sql) | undefined
}

/** Limits of a column's values; none for an enum, whose words are compared one by one. */
export const limitsOf = (column: Column, timeZone: string): readonly Limit[] => {
  const { field, type } = column
  if (column.isSystem || field.type === 'enum') return []
  const set = field as Partial<Record<'min' | 'max', string | number>>
  const limits: Limit[] = []
  if (type.refusesEmpty) limits.push({ words: 'not empty', broken: (cell) => sql`${cell} = ''` })
  const longest = type.maxLength
  if (longest !== undefined) {
    const most = int(longest)
    limits.push({
      words: `at most ${longest} characters`,
      broken: (cell) => sql`char_length(${cell}) > ${most}`,
    })
  }
  for (const [property, words, sign] of [
    ['min', 'at least', '<'],
    ['max', 'at most', '>'],
  ] as const) {
    const value = set[property]
    if (value === undefined) continue
    const end = endOf(column, value, timeZone)
    if (end !== undefined)
      limits.push({
        words: `${words} ${value}`,
        broken: (cell) => sql`${cell} ${raw(sign)} ${bound(end, column.type.cast)}`,
      })
  }
  if (type.formRule !== undefined) limits.push({ words: type.formRule, broken: undefined })
  return limits
}

/** The end of a range as PostgreSQL takes it; the range is no rule for its own ends. */
const endOf = ({ field }: Column, value: unknown, timeZone: string) => {
  const verdict = fieldTypeOf(withoutRules(field, 'min', 'max')).check(value, timeZone)
  return 'value' in verdict ? verdict.value : undefined
}

/** A condition in SQL that holds for values which break one of the limits. */
export const brokenSql = (limits: readonly Limit[], cell: Sql): Sql | undefined => {
  const parts = limits.map(({ broken }) => broken?.(cell))
  if (parts.length === 0 || parts.some((part) => part === undefined)) return undefined
  return {
    parts: parts.flatMap((part, place) => [
      ...(place === 0 ? [] : [' OR ']),
      ...(part?.parts ?? []),
    ]),
  }
}

/** A statement that shows the records which a condition holds for. */
export const findSql = (table: string, column: string, condition: Sql): string =>
  printSql(
    sql`SELECT id, ${ref(column)} FROM ${raw(table)} WHERE NOT _is_deleted AND (${condition})`,
  )
