/** Parses JSON bodies without losing a digit: numbers that JavaScript cannot hold are refused. */
import { type Fault, fault, faultOfMistakes, type Mistake } from '../errors.ts'

// Only a long run of digits or a large exponent can name a number that would change.
const suspicious = /\d{16}|\d[eE][+-]?\d{3}|\d\.\d{15}/

/** The value of a body, or a fault with the place that breaks it. */
export const parseExactJson = (text: string): unknown => {
  try {
    return suspicious.test(text) ? parseSuspicious(text) : JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) throw malformed(text, error)
    throw error
  }
}

const malformed = (text: string, error: SyntaxError): Fault => {
  const position = /position (\d+)/.exec(error.message)?.[1]
  if (position === undefined)
    return fault(
      'request.malformed-json',
      text === '' ? 'The body is empty.' : 'The body breaks off.',
    )
  const before = text.slice(0, Number(position)).split('\n')
  const place = `line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`
  return fault('request.malformed-json', `The JSON breaks at ${place}.`)
}

type Reviver = (this: unknown, key: string, value: unknown, context: { source?: string }) => unknown

const parseSuspicious = (text: string): unknown => {
  const mistakes: Mistake[] = []
  const revive: Reviver = (key, value, { source }) => {
    if (typeof value === 'number' && source !== undefined && !isExact(source, value))
      mistakes.push({
        path: key,
        message: `the number ${source.slice(0, 40)} cannot be kept exactly; send it as a string`,
      })
    return value
  }
  const value = (JSON.parse as (text: string, reviver: Reviver) => unknown)(text, revive)
  if (mistakes.length > 0) throw faultOfMistakes('request.invalid', mistakes)
  return value
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
