/** Which changes of a column's type lose nothing. */

const numericPattern = /^numeric\((\d+),(\d+)\)$/

// The types of fields whose text says everything; sessions print times in UTC and ISO.
const readableTypes = /^(integer|bigint|numeric.*|boolean|date|timestamp\(3\) with time zone|json)$/

/** Whether PostgreSQL keeps every value of `from` whole as `to`. */
export const losesNothing = (from: string, to: string): boolean => {
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

/** Digits before the point that every value of a type fits in; undefined for other types. */
const wholeDigits = (type: string): number | undefined => {
  if (type === 'integer') return 10
  if (type === 'bigint') return 19
  const [, precision, scale] = numericPattern.exec(type) ?? []
  return precision === undefined ? undefined : Number(precision) - Number(scale)
}

const fractionDigits = (type: string): number => Number(numericPattern.exec(type)?.[2] ?? 0)
