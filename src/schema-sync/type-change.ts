/** Which changes of a column's type lose nothing. */

const numericPattern = /^numeric\((\d+),(-?\d+)\)$/

/** Whether every value of `from` is kept whole as `to`. */
export const losesNothing = (from: string, to: string): boolean => {
  if (from === to) return true
  if (to === 'text') return from !== 'json'
  if (from === 'integer' && to === 'bigint') return true
  const digits = wholeDigits(from)
  if (digits !== undefined && to === 'numeric') return true
  const target = numericPattern.exec(to)
  if (digits === undefined || !target) return false
  const [, precision, scale] = target.map(Number)
  return (
    (precision ?? 0) - (scale ?? 0) >= digits && (scale ?? 0) >= fractionDigits(from)
  )
}

/** Digits before the point that a numeric type can hold; undefined for other types. */
const wholeDigits = (type: string): number | undefined => {
  if (type === 'integer') return 10
  if (type === 'bigint') return 19
  const parts = numericPattern.exec(type)
  return parts ? Number(parts[1]) - Number(parts[2]) : undefined
}

const fractionDigits = (type: string): number => Number(numericPattern.exec(type)?.[2] ?? 0)
