/** What is wrong with a value that the service refused, by the definition of its field, in the words of the user. */

import type { ReactNode } from 'react'
import { labelOf } from '../../../src/definitions/values/rules/key-names.ts'
import { longestOf, schemesOf } from '../../../src/definitions/values/rules/text-rules.ts'
import { ApiProblem, type Issue } from '../../api/client.ts'
import type { Field } from '../../api/types.ts'
import { useWorkTexts, type WorkTexts } from '../../texts/texts.ts'
import { isFileField, isUnsent } from '../files/file-values.ts'
import { formatValue, type InputKind, kindOf } from '../format/field-kinds.ts'
import type { Reading } from '../format/format-value.ts'
import { useReading } from '../session/session.ts'
import { isBlank, verdictOf } from './entered.ts'
import { numberExample, printTooMany, tooManyDecimals } from './number-text.ts'

/** What the service says of a column, in a record or in the form of an action. */
export const issueOf = (error: Error | null, column: string): Issue | undefined =>
  error instanceof ApiProblem
    ? error.issues.find(
        ({ path }) => path.replace(/^do\.change\.|^(do\.)?values\.|[.[].*/g, '') === column,
      )
    : undefined

export type Refusal = {
  readonly error: Error | null
  readonly field: Field
  /** As it was sent. */
  readonly value: unknown
  /** Those of its entity, by which a combination is named. */
  readonly fields?: readonly Field[]
}

export type Words = WorkTexts['issues'] & WorkTexts['values']
type Place = { readonly field: Field; readonly words: Words; readonly reading: Reading }

/** Undefined where the definition says nothing against the text. */
type Explain = (text: string, place: Place) => string | undefined

/** Which of two numbers is less, exactly. */
const isLess = (one: string, other: string): boolean => {
  const decimals = (text: string) => text.split('.')[1] ?? ''
  const length = Math.max(decimals(one).length, decimals(other).length)
  const scaled = (text: string) =>
    BigInt(`${text.split('.')[0]}${decimals(text).padEnd(length, '0')}`)
  return scaled(one) < scaled(other)
}

const range: Explain = (text, { field, words, reading }) => {
  const { min, max } = field
  if (min !== undefined && isLess(text, String(min)))
    return words.least(formatValue(min, field, reading))
  if (max !== undefined && isLess(String(max), text))
    return words.most(formatValue(max, field, reading))
  return undefined
}

const decimal: Explain = (text, place) => {
  const { field, words, reading } = place
  const { precision, scale = 0 } = field
  const parts = /^-?0*(\d*)(?:\.\d*)?$/.exec(text)
  if (!parts) return words.number(numberExample(reading.locale, scale))
  const [, before = ''] = parts
  const tooMany = tooManyDecimals(text, field)
  if (tooMany) return printTooMany(tooMany, words, reading.locale)
  if (precision !== undefined && before.length > precision - scale)
    return words.digits(precision - scale)
  return range(text, place)
}

const whole: Explain = (text, place) =>
  /^-?\d+$/.test(text)
    ? (range(text, place) ?? place.words.range)
    : place.words.whole(numberExample(place.reading.locale, 0))

const day: Explain = (text, { field, words, reading }) => {
  const { min, max } = field
  // Days of years with four digits are in the order of their texts.
  if (min !== undefined && text < String(min))
    return words.earliest(formatValue(min, field, reading))
  if (max !== undefined && text > String(max)) return words.latest(formatValue(max, field, reading))
  return undefined
}

const tooLong: Explain = (text, { field, words }) => {
  const most = longestOf(field)
  return most !== undefined && [...text].length > most ? words.length(most) : undefined
}

const line: Explain = (text, place) => {
  const { field, words } = place
  return tooLong(text, place) ?? (field.pattern && (field.message ?? words.form))
}

/** What the definition of a field says against a text, as the service reads it. */
export const explanations: Readonly<Partial<Record<InputKind, Explain>>> = {
  decimal,
  whole,
  day,
  line,
  area: tooLong,
  email: (text, place) => tooLong(text, place) ?? place.words.email,
  url: (text, place) => tooLong(text, place) ?? place.words.url(schemesOf(place.field).example),
  phone: (_text, { words }) => words.phone,
  choice: (text, { field, words }) => (field.values?.includes(text) ? undefined : words.choice),
  link: (_text, { words }) => words.link,
}

/** A file was looked at when it was sent: what is refused of it later is that it waited too long. */
const filesIssue = (issue: Issue | undefined, value: unknown, texts: WorkTexts['files']) => {
  if (isUnsent(value)) return texts.unsent
  return issue?.path.endsWith(']') ? texts.expired : issue?.message
}

/** In words; what the service said where the definition does not explain it. */
const ValueIssue = ({ error, field, value, fields = [] }: Refusal): ReactNode => {
  const { values, issues, files } = useWorkTexts()
  const words = { ...values, ...issues }
  const reading = useReading()
  const issue = issueOf(error, field.column ?? field.key)
  if (issue?.validation) return issue.message
  if (issue?.combination) {
    const labels = issue.combination.map((column) => {
      const named = fields.find((one) => one.column === column)
      return named ? labelOf(named) : column
    })
    return words.takenTogether(new Intl.ListFormat(reading.locale).format(labels))
  }
  if (error instanceof ApiProblem && (issue?.code ?? error.code) === 'record.conflict')
    return words.taken
  if (isBlank(value) || String(value).trim() === '') return words.missing
  if (isFileField(field)) return filesIssue(issue, value, files)
  const said = issue?.message
  const verdict = verdictOf(value, field)
  // What the definition of the field has nothing against, the service explains itself.
  if (verdict && 'value' in verdict) return said
  const found = explanations[kindOf(field).input]?.(String(value), { field, words, reading })
  return found ?? verdict?.message ?? said
}

/** Why the service refused a value; undefined where it did not. */
export const refusedValue = (refusal: Refusal): ReactNode =>
  issueOf(refusal.error, refusal.field.column ?? refusal.field.key) === undefined ? undefined : (
    <ValueIssue {...refusal} />
  )

/** Why the service would refuse a value. */
export const faultyValue = (field: Field, value: unknown): ReactNode => (
  <ValueIssue field={field} value={value} error={null} />
)
