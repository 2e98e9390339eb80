/**
 * Parses JSON bodies without loss: numbers that JavaScript cannot represent and repeated names in one
 * object are rejected. Every step is linear in the length of the text.
 */
import { type ApiError, apiError, validationError } from '../../errors.ts'
import { locateJsonError } from './locate-json-error.ts'
import { type Scan, scanJson } from './scan-json.ts'

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
  } catch (error) {
    throw malformed(text, error)
  }
}

const malformed = (text: string, error: unknown): ApiError =>
  apiError('request.malformed-json', malformedDetail(text), { cause: error })

const malformedDetail = (text: string): string => {
  if (text === '') return 'The body is empty.'
  const position = locateJsonError(text)
  if (position === undefined || position >= text.length) return 'The body is incomplete.'
  const { line, column } = placeOf(text, position)
  return `The JSON is malformed at line ${line}, column ${column}.`
}

/** Line and column of a place, both from 1. */
const placeOf = (text: string, position: number): { line: number; column: number } => {
  let line = 1
  let start = 0
  let feed = text.indexOf('\n')
  while (feed !== -1 && feed < position) {
    line += 1
    start = feed + 1
    feed = text.indexOf('\n', start)
  }
  return { line, column: position - start + 1 }
}
