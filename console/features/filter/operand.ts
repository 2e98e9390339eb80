/** Values of conditions between the text of an input and the JSON of criteria. */
import type { Field } from '../../api/types.ts'
import type { Operator } from './filter.ts'
import { operandOf } from './operators.ts'

/** The JSON value that a text stands for; digits of decimals and large numbers stay a text. */
const readOne = (text: string, { type }: Field): unknown => {
  if (type === 'boolean') return text === 'true'
  if (type === 'json') return readJson(text)
  if (type !== 'integer' && type !== 'manyToOne') return text
  const number = Number(text)
  return text !== '' && Number.isSafeInteger(number) ? number : text
}

const readJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

const pattern = (text: string, operator: Operator): string =>
  operator === '$ilike' && !/[%_]/.test(text) ? `%${text}%` : text

/** What criteria compare with. */
export const readOperand = (text: string, field: Field, operator: Operator): unknown => {
  const kind = operandOf(operator)
  if (kind === 'presence') return text !== 'false'
  if (kind === 'one') return readOne(pattern(text, operator), field)
  const lines = text.split('\n').map((line) => line.trim())
  return lines.filter((line) => line !== '').map((line) => readOne(line, field))
}

/** The text for an input. */
export const printOperand = (value: unknown): string => {
  if (Array.isArray(value)) return value.map(printOperand).join('\n')
  if (value === undefined || value === null) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
