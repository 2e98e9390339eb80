/** One row per function of formulas: what it takes, what it returns, and its SQL. */
import type { Kind } from './formula-kind.ts'

type FunctionRow = {
  /** For people: what is written between the parentheses. */
  readonly usage: string
  readonly meaning: string
  /** The kind of the result; undefined if the function does not take these. */
  readonly kindOf: (given: readonly Kind[]) => Kind | undefined
  readonly toSql: (given: readonly string[]) => string
}

const isNumber = (kind: Kind | undefined): boolean => kind === 'whole' || kind === 'number'

/** The kind that values have together: one of dates, or one of numbers. */
const common = (given: readonly Kind[]): Kind | undefined => {
  if (given.every((kind) => kind === 'date')) return 'date'
  if (!given.every(isNumber)) return undefined
  return given.every((kind) => kind === 'whole') ? 'whole' : 'number'
}

const severalOf = (given: readonly Kind[]): Kind | undefined =>
  given.length < 2 ? undefined : common(given)

export const formulaFunctions: Readonly<Record<string, FunctionRow>> = {
  round: {
    usage: 'round(value) or round(value, digits)',
    meaning: 'Rounded half away from zero, to whole numbers or to digits after the point.',
    kindOf: ([value, digits, ...more]) => {
      if (!isNumber(value) || more.length > 0) return undefined
      if (digits === undefined) return 'whole'
      return digits === 'whole' ? 'number' : undefined
    },
    toSql: ([value, digits]) =>
      digits === undefined ? `round(${value})` : `round(${value}, (${digits})::integer)`,
  },
  abs: {
    usage: 'abs(value)',
    meaning: 'Without its sign.',
    kindOf: ([value, ...more]) => (isNumber(value) && more.length === 0 ? value : undefined),
    toSql: ([value]) => `abs(${value})`,
  },
  min: {
    usage: 'min(value, value, …)',
    meaning: 'The smallest or earliest; empty values are left out.',
    kindOf: severalOf,
    toSql: (given) => `least(${given.join(', ')})`,
  },
  max: {
    usage: 'max(value, value, …)',
    meaning: 'The largest or latest; empty values are left out.',
    kindOf: severalOf,
    toSql: (given) => `greatest(${given.join(', ')})`,
  },
  coalesce: {
    usage: 'coalesce(value, value, …)',
    meaning: 'The first that is not empty.',
    kindOf: severalOf,
    toSql: (given) => `coalesce(${given.join(', ')})`,
  },
}
