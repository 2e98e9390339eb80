/**
 * Parses JSON bodies without loss: numbers that JavaScript cannot represent and repeated names in one
 * object are rejected. Every step is linear in the length of the text. What `JSON.parse` does not report is found by one pass over
 * the text, which reads each character once.
 */
import { type JSONVisitor, printParseErrorCode, visit } from 'jsonc-parser'
import { type ApiError, apiError, validationError } from '../../errors.ts'
import { addIssue, type Issue, isFull, shorten } from '../../issues.ts'

/** The value of a body, or an error with its place. */
export const parseLosslessJson = (text: string): unknown => {
  const scan = scanJson(text, { comparesNames: false })
  // Before it is parsed: a body that is too large must not cost the time to parse it.
  if (scan.excess !== undefined)
    throw apiError('request.invalid', `The body ${scan.excess}.`, {
      errors: [{ path: '', message: scan.excess }],
    })
  const value = parseJson(text)
  const { issues } = hasRepeatedNames(value, scan) ? scanJson(text, { comparesNames: true }) : scan
  if (issues.length > 0) throw validationError('request.invalid', issues)
  return value
}

/** JSON.parse keeps one of several equal names; counting is much cheaper than comparing. */
const hasRepeatedNames = (value: unknown, { names, issues }: Scan): boolean =>
  issues.length === 0 && names > 0 && countNames(value) !== names

const countNames = (value: unknown): number => {
  if (typeof value !== 'object' || value === null) return 0
  let count = 0
  if (!Array.isArray(value)) {
    const inner = Object.values(value)
    count = inner.length
    for (const one of inner) count += countNames(one)
  } else for (const one of value) count += countNames(one)
  return count
}

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch (cause) {
    return refuseMalformed(text, (detail) => apiError('request.malformed-json', detail, { cause }))
  }
}

/** Throws the error with the first token that is wrong, whose place `JSON.parse` does not always report. */
const refuseMalformed = (text: string, errorOf: (detail: string) => ApiError): never => {
  if (text === '') throw errorOf('The body is empty.')
  const onError: JSONVisitor['onError'] = (error, offset, length, line, column) => {
    const isCutOff = printParseErrorCode(error) === 'UnexpectedEndOfString'
    // Immediately, so that it descends no deeper than the scan allows.
    throw (isCutOff ? offset + length : offset) === text.length
      ? errorOf('The body is incomplete.')
      : errorOf(`The JSON is malformed at line ${line + 1}, column ${column + 1}.`)
  }
  visit(text, { onError }, { disallowComments: true })
  throw errorOf('The JSON is malformed.')
}

type Options = {
  /** Whether names are compared, which needs a set for every object. */
  readonly comparesNames: boolean
}

/** What was found; for invalid JSON only `excess` is meaningful. */
type Scan = {
  /** What there is too much of; the rest of the text was not read. */
  readonly excess: string | undefined
  /** The number of names of all objects together. */
  readonly names: number
  /** The first of them, each with its path. */
  readonly issues: readonly Issue[]
}

// A json field may have 64 levels; much deeper values would exhaust the stack of readers.
const deepest = 100
// Both cost JSON.parse many times more than their bytes.
const maxContainers = 200_000
const maxNamesOfObject = 10_000

// No JavaScript number has as many digits; comparing longer ones is unnecessary.
const longestNumber = 1000
// With up to fifteen digits and a two-digit exponent every number is represented exactly.
const safeLength = 15
const largeExponent = /[eE][+-]?\d{3}/
const longestName = 100

const codes = { quote: 34, comma: 44, minus: 45, zero: 48, nine: 57, backslash: 92 } as const
const brackets = { array: 91, arrayEnd: 93, object: 123, objectEnd: 125 } as const

/** Scans a text. */
const scanJson = (text: string, options: Options): Scan => {
  const walk = new Walk(text, options)
  walk.run()
  return walk
}

/** An array or object that is open. */
type Level = {
  isObject: boolean
  /** For an array the index; for an object the number of names so far. */
  count: number
  /** Where the current name begins and ends, with its quotes. */
  nameFrom: number
  nameTo: number
  known: Set<string> | undefined
}

class Walk implements Scan {
  excess: string | undefined
  names = 0
  readonly issues: Issue[] = []
  readonly #text: string
  readonly #options: Options
  /** By depth, created once for each and reused. */
  readonly #levels: Level[] = []
  #depth = 0
  #containers = 0
  #level: Level | undefined
  #awaitsName = false

  constructor(text: string, options: Options) {
    this.#text = text
    this.#options = options
  }

  run(): void {
    const { length } = this.#text
    let at = 0
    while (at < length && this.excess === undefined && !isFull(this.issues)) at = this.#step(at)
  }

  /** Reads what is at a place, and returns the place after it. */
  #step(at: number): number {
    const code = this.#text.charCodeAt(at)
    if (code === codes.quote) return this.#takeString(at)
    if (code === codes.minus || (code >= codes.zero && code <= codes.nine))
      return this.#takeNumber(at)
    if (code === codes.comma) this.#takeComma()
    else if (code === brackets.object) this.#open(true)
    else if (code === brackets.array) this.#open(false)
    else if (code === brackets.objectEnd || code === brackets.arrayEnd) this.#close()
    return at + 1
  }

  #open(isObject: boolean): void {
    this.#containers += 1
    if (this.#depth === deepest) this.excess = `is nested deeper than ${deepest} levels`
    if (this.#containers > maxContainers)
      this.excess = `has more than ${maxContainers} arrays and objects`
    const level = this.#levels[this.#depth] ?? newLevel()
    this.#levels[this.#depth] = level
    level.isObject = isObject
    level.count = 0
    level.known = undefined
    this.#depth += 1
    this.#level = level
    this.#awaitsName = isObject
  }

  #close(): void {
    this.#depth = Math.max(0, this.#depth - 1)
    this.#level = this.#depth === 0 ? undefined : this.#levels[this.#depth - 1]
    this.#awaitsName = false
  }

  #takeComma(): void {
    if (this.#level?.isObject) this.#awaitsName = true
    else if (this.#level) this.#level.count += 1
  }

  #takeString(at: number): number {
    const end = endOfString(this.#text, at)
    if (this.#awaitsName && this.#level) this.#takeName(this.#level, at, end)
    return end
  }

  #takeName(level: Level, from: number, to: number): void {
    this.#awaitsName = false
    this.names += 1
    level.count += 1
    level.nameFrom = from
    level.nameTo = to
    if (level.count > maxNamesOfObject)
      this.excess = `has an object of more than ${maxNamesOfObject} names`
    if (!this.#options.comparesNames) return
    level.known ??= new Set()
    const name = this.#nameOf(level)
    if (level.known.has(name)) this.#add('is given more than once in its object')
    level.known.add(name)
  }

  #takeNumber(from: number): number {
    const { source, hasExponent } = numberAt(this.#text, from)
    const end = from + source.length
    if (source.length > longestNumber)
      this.#add(`a number of ${source.length} characters is longer than ${longestNumber}`)
    else if (
      (source.length > safeLength || (hasExponent && largeExponent.test(source))) &&
      !isExact(source)
    )
      this.#add(`the number ${shorten(source, 40)} cannot be kept exactly; send it as a string`)
    return end
  }

  #add(message: string): void {
    addIssue(this.issues, { path: this.#path(), message })
  }

  #path(): string {
    return this.#levels
      .slice(0, this.#depth)
      .map((level, depth) => {
        if (!level.isObject) return `[${level.count}]`
        const name = this.#nameOf(level)
        const shown = name.length > longestName ? `${name.slice(0, longestName)}…` : name
        return depth === 0 ? shown : `.${shown}`
      })
      .join('')
  }

  #nameOf({ nameFrom, nameTo }: Level): string {
    const quoted = this.#text.slice(nameFrom, nameTo)
    return quoted.includes('\\') ? (JSON.parse(quoted) as string) : quoted.slice(1, -1)
  }
}

const newLevel = (): Level => ({
  isObject: false,
  count: 0,
  nameFrom: 0,
  nameTo: 0,
  known: undefined,
})

/** The place after the quote that ends a string. */
const endOfString = (text: string, from: number): number => {
  let at = text.indexOf('"', from + 1)
  while (at !== -1 && isEscaped(text, at)) at = text.indexOf('"', at + 1)
  return at === -1 ? text.length : at + 1
}

/**
 * An odd number of backslashes comes before an escaped quote; only those directly before this quote count.
 */
const isEscaped = (text: string, quote: number): boolean => {
  let at = quote
  while (text.charCodeAt(at - 1) === codes.backslash) at -= 1
  return (quote - at) % 2 === 1
}

const numberAt = (text: string, from: number): { source: string; hasExponent: boolean } => {
  let at = from
  let hasExponent = false
  while (at < text.length && isOfNumber(text.charCodeAt(at))) {
    hasExponent ||= (text.charCodeAt(at) | 0x20) === 0x65
    at += 1
  }
  return { source: text.slice(from, at), hasExponent }
}

/** Digits, `+`, `-`, `.`, `e` and `E`. */
const isOfNumber = (code: number): boolean =>
  (code >= codes.zero && code <= codes.nine) ||
  code === 43 ||
  code === 45 ||
  code === 46 ||
  (code | 0x20) === 0x65

/** Whether JavaScript prints the number with the digits that were sent. */
const isExact = (source: string): boolean => {
  const value = Number(source)
  if (!Number.isFinite(value)) return false
  const printed = String(value)
  return printed === source || significant(source) === significant(printed)
}

/** Digits and magnitude of a number's text: `1.50e3`, `1500` and `1500.0` are equal. */
const significant = (text: string): string => {
  const mark = Math.max(text.indexOf('e'), text.indexOf('E'))
  const mantissa = text.slice(text.startsWith('-') ? 1 : 0, mark === -1 ? text.length : mark)
  const point = mantissa.indexOf('.')
  const fraction = point === -1 ? 0 : mantissa.length - point - 1
  const digits = point === -1 ? mantissa : mantissa.slice(0, point) + mantissa.slice(point + 1)
  let from = 0
  while (digits.charCodeAt(from) === codes.zero) from += 1
  let to = digits.length
  while (to > from && digits.charCodeAt(to - 1) === codes.zero) to -= 1
  if (from === to) return '0'
  const exponent = mark === -1 ? 0 : Number(text.slice(mark + 1))
  return `${digits.slice(from, to)}e${exponent - fraction + (digits.length - to)}`
}
