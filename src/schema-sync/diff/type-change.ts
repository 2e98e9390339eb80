/** Type changes of columns: which lose nothing, and which values others cut or reject. */
import { raw, type Sql, sql, text, toLiteralText } from '../../database/sql.ts'

const numericPattern = /^numeric\((\d+),(\d+)\)$/
const moment = 'timestamp(3) with time zone'

// Types whose text is exact; sessions print times in UTC and ISO.
const readableTypes = /^(integer|bigint|numeric.*|boolean|date|timestamp\(3\) with time zone|json)$/

/** Whether PostgreSQL converts every value of `from` to `to` without loss. */
export const isLossless = (from: string, to: string): boolean => {
  if (from === to) return true
  if (to === 'text') return readableTypes.test(from)
  if (to === 'bigint') return from === 'integer'
  const whole = wholeDigits(from)
  if (whole === undefined) return false
  if (to === 'numeric') return true
  const target = wholeDigits(to)
  return (
    numericPattern.test(to) &&
    target !== undefined &&
    target >= whole &&
    fractionDigits(to) >= fractionDigits(from)
  )
}

/** Maximum digits before the point of a type's values; undefined for other types. */
const wholeDigits = (type: string): number | undefined => {
  if (type === 'integer') return 10
  if (type === 'bigint') return 19
  const [, precision, scale] = numericPattern.exec(type) ?? []
  return precision === undefined ? undefined : Number(precision) - Number(scale)
}

const fractionDigits = (type: string): number => Number(numericPattern.exec(type)?.[2] ?? 0)

type Change = {
  readonly from: string
  readonly to: string
  readonly cell: string
  readonly timeZone: string
}

export const convertedSql = ({ from, to, cell, timeZone }: Change): string => {
  const zone = toLiteralText(text(timeZone))
  if (from === moment && to === 'date') return `(${cell} AT TIME ZONE ${zone})::date`
  if (from === 'date' && to === moment)
    return `(${cell}::timestamp AT TIME ZONE ${zone})::${moment}`
  return `${cell}::${to}`
}

/**
 * The new value of a column, for comparing it with rules before it is converted; null where PostgreSQL rejects the old one, which
 * blocks the change by itself, and for texts where the server cannot say which are values (`tellsInputs`).
 */
export const fittingSql = (types: Omit<Change, 'cell'>, cell: Sql, tellsInputs: boolean): Sql => {
  const change = { ...types, cell: toLiteralText(cell) }
  if (types.from === types.to) return cell
  const converted = raw(convertedSql(change))
  if (isLossless(types.from, types.to)) return converted
  const conditions = lossyValuesSql(change, tellsInputs)
  return conditions
    ? sql`CASE WHEN NOT (${raw(conditions.refused)}) THEN ${converted} END`
    : raw(`NULL::${types.to}`)
}

type LossyValues = {
  /** True in SQL for a value that PostgreSQL cuts. */
  readonly cut: string
  /** True in SQL for a value that PostgreSQL rejects. */
  readonly refused: string
}

/**
 * Conditions for values that would change; undefined when SQL cannot decide. For conversions from text
 * PostgreSQL 16 and newer have `pg_input_is_valid`.
 */
export const lossyValuesSql = (change: Change, tellsInputs: boolean): LossyValues | undefined => {
  const { from, to, cell, timeZone } = change
  // Only writes make files (definitions/field-types/files.ts).
  if (to === 'jsonb') return { cut: 'false', refused: 'true' }
  if (from === 'text') {
    if (!tellsInputs) return undefined
    const base = to.startsWith('numeric') ? 'numeric' : to
    const isRead = `pg_input_is_valid(${cell}, '${base}')`
    const read = numbers(`(CASE WHEN ${isRead} THEN ${cell} END)::${base}`, to)
    return { cut: read?.cut ?? 'false', refused: `NOT ${isRead} OR ${read?.refused ?? 'false'}` }
  }
  if (from === moment && to === 'date') {
    const zone = toLiteralText(text(timeZone))
    return { cut: `(${cell} AT TIME ZONE ${zone})::time <> '00:00'`, refused: 'false' }
  }
  if (from === 'date' && to === moment) return { cut: 'false', refused: 'false' }
  return from === 'numeric' || wholeDigits(from) !== undefined ? numbers(cell, to) : undefined
}

/** Numbers are rounded, and rejected when they are too large. */
const numbers = (cell: string, to: string): LossyValues | undefined => {
  const digits = wholeDigits(to)
  if (digits === undefined) return undefined
  const rounded = `round(${cell}::numeric, ${fractionDigits(to)})`
  const most = { integer: '2147483647', bigint: '9223372036854775807' }[to]
  return {
    cut: `${rounded} <> ${cell}::numeric`,
    refused: most
      ? `${rounded} NOT BETWEEN -${most} - 1 AND ${most}`
      : `abs(${rounded}) >= 1${'0'.repeat(digits)}`,
  }
}
