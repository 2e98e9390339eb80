/**
 * Parses JSON bodies without loss: numbers that JavaScript cannot represent and repeated names in one
 * object are rejected. Every step is linear in the length of the text.
 */
import { type JSONVisitor, printParseErrorCode, visit } from 'jsonc-parser'
import { type ApiError, apiError, validationError } from '../../errors.ts'
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
