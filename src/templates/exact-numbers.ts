/** Filters of Liquid that calculate: exactly, with decimals and whole numbers of any size. An empty value stays empty. */
import { type Context, Drop, type Liquid, toValueSync } from 'liquidjs'

/** `digits` without the point, which stands before the last `scale` of them. */
type Exact = { readonly digits: bigint; readonly scale: number }

const pattern = /^-?\d{1,400}(\.\d{1,400})?$/

const exactOf = (value: unknown): Exact | undefined => {
  if (value instanceof ExactNumber) return value.exact
  const isNumber = typeof value === 'number' || typeof value === 'bigint'
  const text = typeof value === 'string' ? value.trim() : isNumber ? String(value) : ''
  if (!pattern.test(text)) return undefined
  const [whole = '', fraction = ''] = text.split('.')
  return { digits: BigInt(whole + fraction), scale: fraction.length }
}

const power = (exponent: number): bigint => 10n ** BigInt(exponent)

const scaledTo = ({ digits, scale }: Exact, target: number): bigint =>
  digits * power(target - scale)

/** Both as whole numbers of one scale. */
const alike = (one: Exact, other: Exact) => {
  const scale = Math.max(one.scale, other.scale)
  return { scale, a: scaledTo(one, scale), b: scaledTo(other, scale) }
}

const absolute = (value: bigint): bigint => (value < 0n ? -value : value)

const compared = (one: Exact, other: unknown): number => {
  const exact = exactOf(other)
  if (!exact) return Number.NaN
  const { a, b } = alike(one, exact)
  return a < b ? -1 : a > b ? 1 : 0
}

/** A result: it prints all of its digits, and compares as a number. */
class ExactNumber extends Drop {
  readonly exact: Exact
  constructor(exact: Exact) {
    super()
    this.exact = exact
  }
  override valueOf(): string {
    return this.toString()
  }
  override toString(): string {
    const { digits, scale } = this.exact
    const text = absolute(digits)
      .toString()
      .padStart(scale + 1, '0')
    const number = scale === 0 ? text : `${text.slice(0, -scale)}.${text.slice(-scale)}`
    return digits < 0n ? `-${number}` : number
  }
  equals(other: unknown): boolean {
    return compared(this.exact, other) === 0
  }
  gt(other: unknown): boolean {
    return compared(this.exact, other) > 0
  }
  geq(other: unknown): boolean {
    return compared(this.exact, other) >= 0
  }
  lt(other: unknown): boolean {
    return compared(this.exact, other) < 0
  }
  leq(other: unknown): boolean {
    return compared(this.exact, other) <= 0
  }
}

/** Whether a value is a result of these filters. */
export const isCalculated = (value: unknown): boolean => value instanceof ExactNumber

const floored = (a: bigint, b: bigint): bigint => {
  const quotient = a / b
  return a % b !== 0n && a < 0n !== b < 0n ? quotient - 1n : quotient
}

/** Rounded to the nearest, halves away from zero. */
const nearest = (a: bigint, b: bigint): bigint => {
  const quotient = (2n * absolute(a) + absolute(b)) / (2n * absolute(b))
  return a < 0n === b < 0n ? quotient : -quotient
}

// What no decimal can hold, such as a third, ends after so many digits.
const digitsOfQuotients = 20

const quotient = (one: Exact, other: Exact): Exact | undefined => {
  if (other.digits === 0n) return undefined
  const { a, b, scale } = alike(one, other)
  let result = { digits: nearest(a * power(digitsOfQuotients), b), scale: digitsOfQuotients }
  while (result.scale > scale && result.digits % 10n === 0n)
    result = { digits: result.digits / 10n, scale: result.scale - 1 }
  return result
}

const rounded = (one: Exact, other: Exact): Exact => {
  const scale = Math.min(100, Math.max(0, Number(other.digits / power(other.scale))))
  return scale >= one.scale
    ? { digits: scaledTo(one, scale), scale }
    : { digits: nearest(one.digits, power(one.scale - scale)), scale }
}

const none: Exact = { digits: 0n, scale: 0 }

type Calculate = (one: Exact, other: Exact) => Exact | undefined

const added = (one: Exact, other: Exact): Exact => {
  const { a, b, scale } = alike(one, other)
  return { digits: a + b, scale }
}

const withTwo: Readonly<Record<string, Calculate>> = {
  plus: added,
  minus: (one, other) => {
    const { a, b, scale } = alike(one, other)
    return { digits: a - b, scale }
  },
  times: (one, other) => ({
    digits: one.digits * other.digits,
    scale: one.scale + other.scale,
  }),
  divided_by: quotient,
  modulo: (one, other) => {
    const { a, b, scale } = alike(one, other)
    return b === 0n ? undefined : { digits: a % b, scale }
  },
  at_least: (one, other) => (compared(one, new ExactNumber(other)) < 0 ? other : one),
  at_most: (one, other) => (compared(one, new ExactNumber(other)) > 0 ? other : one),
}

const withOne: Readonly<Record<string, Calculate>> = {
  abs: ({ digits, scale }) => ({ digits: absolute(digits), scale }),
  ceil: ({ digits, scale }) => ({ digits: -floored(-digits, power(scale)), scale: 0 }),
  floor: ({ digits, scale }) => ({ digits: floored(digits, power(scale)), scale: 0 }),
  round: rounded,
}

const isEmpty = (value: unknown): boolean => value === null || value === undefined || value === ''

type Filter = (this: { readonly context: Context }, ...values: unknown[]) => unknown

/** A whole number that JavaScript holds is one, so that it can be a place or a length too. */
const printed = (result: Exact): ExactNumber | number => {
  const value = Number(result.digits)
  return result.scale === 0 && Number.isSafeInteger(value) ? value : new ExactNumber(result)
}

/** A text that is no number stays as it came; what has no result is empty. */
const filterOf =
  (calculate: Calculate, absent: Exact | undefined): Filter =>
  (value, argument) => {
    const one = exactOf(value)
    if (!one) return isEmpty(value) ? '' : value
    const other = argument === undefined && absent ? absent : exactOf(argument)
    const result = other && calculate(one, other)
    return result && result.digits.toString().length <= 1000 ? printed(result) : ''
  }

const sum: Filter = function (list, property) {
  const items = Array.isArray(list) ? list : isEmpty(list) ? [] : [list]
  const valueOfItem = (item: unknown): unknown =>
    property === undefined
      ? item
      : toValueSync(this.context._getFromScope(item as object, String(property).split('.'), false))
  const total = items.reduce<Exact>(
    (so, item) => added(so, exactOf(valueOfItem(item)) ?? none),
    none,
  )
  return printed(total)
}

/** Replaces the filters of Liquid, which calculate in floating point. */
export const registerExactNumbers = (engine: Liquid): void => {
  for (const [name, calculate] of Object.entries(withTwo))
    engine.registerFilter(name, filterOf(calculate, undefined))
  for (const [name, calculate] of Object.entries(withOne))
    engine.registerFilter(name, filterOf(calculate, none))
  engine.registerFilter('sum', sum)
}
