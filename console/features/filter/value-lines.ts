/** Several values of a condition as lines of a text, each as people write it. */
import type { Field } from '../../api/types.ts'
import { type InputKind, kindOf } from '../format/field-kinds.ts'
import { fromNumberText, fromWholeText, toNumberText } from '../values/number-text.ts'

export const printValues = (value: unknown, field: Field, locale: string): string =>
  (Array.isArray(value) ? value : [])
    .map((one) => (kindOf(field).isNumber ? toNumberText(one, locale) : String(one)))
    .join('\n')

/** What cannot be read stays as it is, for the form to say so. */
export const readValues = (text: string, field: Field, locale: string): readonly unknown[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .map((line) => readers[kindOf(field).input]?.(line, locale) ?? line)

type Read = (line: string, locale: string) => unknown

const readers: Readonly<Partial<Record<InputKind, Read>>> = {
  whole: fromWholeText,
  decimal: fromNumberText,
}
