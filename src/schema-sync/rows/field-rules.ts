/** Rules of fields that the database does not enforce, and SQL conditions for violations. */
import { createHash } from 'node:crypto'
import { bound, int, raw, ref, type Sql, sql, text } from '../../database/sql.ts'
import type { Column } from '../../definitions/catalog.ts'
import { fieldTypeOf, withoutRules } from '../../definitions/field-types.ts'
import { isFileColumn, maxFilesOf } from '../../definitions/files.ts'
import { printSql } from '../diff/change.ts'

/** A digest of the rules of a field; undefined when it has none. */
export const ruleDigest = (rule: unknown): string =>
  createHash('sha256').update(JSON.stringify(rule)).digest('hex').slice(0, 32)

type Limit = {
  /** For example "at most 10 characters". */
  readonly words: string
  /** True for a violating value; undefined: SQL cannot check it. */
  readonly broken: ((cell: Sql) => Sql) | undefined
}

/** Limits of a column's values; none for an enum, whose words are compared separately. */
export const limitsOf = (column: Column, timeZone: string): readonly Limit[] => {
  const { field, type } = column
  if (column.isSystem || field.type === 'enum') return []
  const set = field as Partial<Record<'min' | 'max', string | number>>
  const limits: Limit[] = []
  if (type.refusesEmpty) limits.push({ words: 'not empty', broken: (cell) => sql`${cell} = ''` })
  // What is not is made so (compare-records.ts), so no record breaks it.
  if (type.isLowerCase) limits.push({ words: 'in lower case', broken: () => sql`false` })
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
  if (isFileColumn(column)) {
    const most = maxFilesOf(column)
    limits.push({
      words: most === 1 ? 'at most one file' : `at most ${most} files`,
      broken: (cell) => sql`jsonb_array_length(${cell}) > ${int(most)}`,
    })
  }
  if (type.formRule !== undefined) limits.push({ words: type.formRule, broken: undefined })
  return limits
}

// What `trim` of JavaScript removes: white space and line ends of Unicode, and the byte order mark.
const blanks = [
  '\t\n\v\f\r \u00A0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006',
  '\u2007\u2008\u2009\u200A\u2028\u2029\u202F\u205F\u3000\uFEFF',
].join('')

/** SQL of a text in the form in which its field keeps it; undefined where that is the text itself. */
export const formOf = ({ isSystem, field, type }: Column): ((cell: Sql) => Sql) | undefined => {
  if (isSystem || field.type === 'enum' || type.textForm === 'exact') return undefined
  // ASCII is composed; so many marks on one letter are refused, and PostgreSQL takes long to compose them.
  const composed = (cell: Sql) =>
    sql`CASE WHEN octet_length(${cell}) = char_length(${cell}) OR ${cell} ~ ${text('[\u0300-\u036F]{31}')}
      THEN ${cell} ELSE normalize(${cell}, NFC) END`
  return type.textForm === 'prose'
    ? composed
    : (cell) => sql`btrim(${composed(cell)}, ${text(blanks)})`
}

/** What the records of a column are compared with, in words; nothing for an enum, whose words are compared separately. */
export const rulesOf = (column: Column, timeZone: string): readonly string[] => [
  ...limitsOf(column, timeZone).map(({ words }) => words),
  ...(formOf(column) ? [`texts as a ${column.type.textForm}`] : []),
]

/** An end of a range as bound in SQL; it is not checked against the range itself. */
const endOf = ({ field }: Column, value: unknown, timeZone: string) => {
  const result = fieldTypeOf(withoutRules(field, 'min', 'max')).check(value, timeZone)
  return 'value' in result ? result.value : undefined
}

/** An SQL condition for values that violate one of the limits. */
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

/** A statement that shows the records of a condition. */
export const findSql = (table: string, column: string, condition: Sql): string =>
  printSql(
    sql`SELECT id, ${ref(column)} FROM ${raw(table)} WHERE NOT _is_deleted AND (${condition})`,
  )
