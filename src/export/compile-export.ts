/** Turns an export plan into the statements that PostgreSQL runs. */
import { raw, type Statement, sql, toLiteralText, toStatement } from '../database/sql.ts'
import { columnExpression, compileSelect } from '../query/compile-select.ts'
import type { ExportColumn, ExportFormat, ExportSheet } from './export-format.ts'
import type { ExportPlan } from './plan-export.ts'

/** One COPY for the whole answer: one statement, so one snapshot. */
export const compileCopy = (plan: ExportPlan, format: ExportFormat, sheet: ExportSheet): string => {
  const select = compileSelect(plan.select, raw(format.list(sheet)))
  return `COPY (${toLiteralText(select)}) TO STDOUT WITH (${format.copyOptions}, ENCODING 'UTF8')`
}

/** The columns whose text could be too long for a cell of the format. */
export const boundlessColumns = (plan: ExportPlan, longest: number): readonly ExportColumn[] =>
  plan.columns.filter((column) => mayExceed(column, longest))

/** Asks, for each of the columns `v0`, `v1` …, whether a text of it is too long. */
export const compileLengthCheck = (
  plan: ExportPlan,
  columns: readonly ExportColumn[],
  longest: number,
): Statement => {
  const list = columns.map(({ ref }, index) => `${columnExpression(ref)}::text AS v${index}`)
  const checks = columns.map(
    (_, index) => `coalesce(bool_or(${isLongerThan(longest, `v${index}`)}), false) AS v${index}`,
  )
  const inner = compileSelect(plan.select, raw(list.join(', ')))
  return toStatement(sql`SELECT ${raw(checks.join(', '))} FROM (${inner}) v`)
}

// A spreadsheet counts in UTF-16: a character outside the basic plane, four bytes here, counts twice.
// So no text has more units than bytes, which PostgreSQL knows without reading the text.
const isLongerThan = (longest: number, text: string): string =>
  `CASE WHEN octet_length(${text}) > ${longest} THEN length(${text}) + length(regexp_replace(${text}, '[^\\U00010000-\\U0010FFFF]', '', 'g')) > ${longest} END`

const mayExceed = ({ ref }: ExportColumn, longest: number): boolean => {
  const { field } = ref.column
  if (field.type === 'string') return field.maxLength === undefined || 2 * field.maxLength > longest
  return field.type === 'text' || field.type === 'json'
}
