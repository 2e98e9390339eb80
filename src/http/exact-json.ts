/** Parses JSON bodies without losing a digit: numbers that JavaScript cannot hold are refused. */
import { type ParseError, parse as parseWithFaults } from 'jsonc-parser'
import { type Fault, fault, faultOfMistakes, type Mistake } from '../errors.ts'

// Only sixteen digits (a point may stand between them) or a large exponent can name a number that
// would change.
const suspicious = /\d{16}|[\d.]{17}|\d[eE][+-]?\d{3}/

// A json field may be 64 levels deep; far deeper values would exhaust the stack of who reads them.
const deepest = 100

/** The value of a body, or a fault with the place that breaks it. */
export const parseExactJson = (text: string): unknown => {
  const value = parseJson(text)
  if (isDeeperThan(value, deepest)) {
    const message = `is nested deeper than ${deepest} levels`
    throw fault('request.invalid', `The body ${message}.`, { errors: [{ path: '', message }] })
  }
  const mistakes = lostDigits(text)
  if (mistakes.length > 0) throw faultOfMistakes('request.invalid', mistakes)
  return value
}

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw malformed(text, error)
  }
}

const malformed = (text: string, error: unknown): Fault =>
  fault('request.malformed-json', malformedDetail(text, String(error)), { cause: error })

const malformedDetail = (text: string, reason: string): string => {
  if (text === '') return 'The body is empty.'
  const told = / at position (\d+)(?: \(line \d+ column \d+\))?$/.exec(reason)?.[1]
  const position = told === undefined ? firstFault(text) : Number(told)
  if (position === undefined) return 'The body is not JSON, and too deep to tell where.'
  if (position >= text.length) return 'The body breaks off.'
  const before = text.slice(0, position).split('\n')
  return `The JSON breaks at line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}.`
}

/** JSON.parse does not tell every place; this parser does, unless it is buried too deep. */
const firstFault = (text: string): number | undefined => {
  const faults: ParseError[] = []
  try {
    parseWithFaults(text, faults, { disallowComments: true })
  } catch {
    return undefined
  }
  return faults[0]?.offset ?? text.length
}

const isDeeperThan = (value: unknown, levels: number): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (levels === 0 || Object.values(value).some((inner) => isDeeperThan(inner, levels - 1)))

/** Stands in for a number that cannot be kept, until its path is known. */
class Lost {
  readonly source: string
  constructor(source: string) {
    this.source = source
  }
}

type Reviver = (key: string, value: unknown, context: { source?: string }) => unknown

const lostDigits = (text: string): Mistake[] => {
  if (!suspicious.test(text)) return []
  let isLossy = false
  const revive: Reviver = (_key, value, { source }) => {
    if (typeof value !== 'number' || source === undefined || isExact(source, value)) return value
    isLossy = true
    return new Lost(source)
  }
  const value = (JSON.parse as (text: string, reviver: Reviver) => unknown)(text, revive)
  return isLossy ? lostIn(value, '') : []
}

const lostIn = (value: unknown, path: string): Mistake[] => {
  if (value instanceof Lost) {
    const number = value.source.slice(0, 40)
    return [{ path, message: `the number ${number} cannot be kept exactly; send it as a string` }]
  }
  if (typeof value !== 'object' || value === null) return []
  if (Array.isArray(value))
    return value.flatMap((inner, index) => lostIn(inner, `${path}[${index}]`))
  return Object.entries(value).flatMap(([key, inner]) =>
    lostIn(inner, path === '' ? key : `${path}.${key}`),
  )
}

/** Whether the printed number has the digits that were sent. */
const isExact = (source: string, value: number): boolean =>
  Number.isFinite(value) && significant(source) === significant(String(value))

/** Digits and magnitude of a number's text: `1.50e3`, `1500` and `1500.0` are alike. */
const significant = (text: string): string => {
  const [mantissa = '', exponent = '0'] = text.toLowerCase().replace(/^-/, '').split('e')
  const [whole = '', fraction = ''] = mantissa.split('.')
  const digits = `${whole}${fraction}`.replace(/^0+/, '')
  const trimmed = digits.replace(/0+$/, '')
  return trimmed === ''
    ? '0'
    : `${trimmed}e${Number(exponent) - fraction.length + (digits.length - trimmed.length)}`
}
