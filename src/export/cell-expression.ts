/** The SQL expression of the value that a column of an export has in the file. */
import { raw, sql, text, toLiteralText } from '../database/sql.ts'
import { columnExpression } from '../query/compile-select.ts'
import type { ExportColumn } from './export-format.ts'

/** The value of the record, or its name; a value without a name stays as it is. */
export const cellExpression = ({ ref, names }: Pick<ExportColumn, 'ref' | 'names'>): string => {
  const value = columnExpression(ref)
  if (names === undefined || names.size === 0) return value
  const cases = [...names].map(([key, name]) =>
    toLiteralText(sql` WHEN ${text(key)} THEN ${text(name)}`),
  )
  return toLiteralText(sql`(CASE ${raw(value)}${raw(cases.join(''))} ELSE ${raw(value)} END)`)
}
