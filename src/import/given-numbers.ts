/**
 * Numbers of series in a file. Those who may import what only the service writes give the numbers that records had in another system, also
 * such as no series gives; rows without one take the next number (records/write/take-numbers.ts).
 */
import { execute, type Queryable } from '../database/pool.ts'
import { type NumberedField, numberedIn, patternOf, raiseStatement } from '../database/series.ts'
import { bigint, raw, type Sql, sql, text } from '../database/sql.ts'
import { faultRows, isRightIn, resolvedRows, type Staged } from './staged-rows.ts'

const isGiven = ({ columns }: Staged, { column }: NumberedField): boolean =>
  columns.some(({ name }) => name === column.name)

/**
 * Raises the counters above all numbers that rows of the file give new records, before the first row takes a number. A trial leaves
 * counters with gaps as they are, since what it does to them is not taken back.
 */
export const raiseAboveGiven = async (
  database: Queryable,
  open: Staged,
  which: Sql,
  { isTrial = false } = {},
): Promise<void> => {
  const { plan, columns, entity } = open
  const given = numberedIn(entity).filter((one) => isGiven(open, one))
  if (plan.mode === 'update' || given.length === 0) return
  const read = columns.filter(({ name, column }) => column.series || plan.match.includes(name))
  const rows = sql`(
    SELECT v.* FROM ${resolvedRows({ ...open, columns: read }, which)} v WHERE v._match IS NULL
  )`
  for (const one of given)
    if (!isTrial || one.series.isGapFree) await execute(database, raiseStatement(one, rows))
}

// More than any format has zeros; the largest that PostgreSQL counts has 19 digits.
const largest = '999999999999999'

/** Rows whose number is so large that few are left after it. */
export const checkNumbers = async (database: Queryable, staged: Staged): Promise<void> => {
  const { plan } = staged
  if (plan.mode === 'update') return
  for (const one of numberedIn(staged.entity)) {
    const given = staged.columns.find(({ name }) => name === one.column.name)
    if (!given) continue
    const cell = raw(`s.${given.slot}`)
    const digits = sql`(regexp_match(${cell}, ${text(patternOf(one.series))}))[2]::bigint`
    await faultRows(database, staged, {
      column: given.head,
      shown: cell,
      message: text(
        `is too large: its number is at most ${largest}, so that numbers are left for new records`,
      ),
      when: sql`${isRightIn([given])} AND ${digits} > ${bigint(largest)}`,
    })
  }
}
