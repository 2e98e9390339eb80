/** What the definition says of a field, in words: its type and its rules. */
import type { Field } from '../../api/types.ts'
import type { AdminTexts } from '../../texts/texts.ts'
import { nameOfKey } from '../format/format-value.ts'

// They have columns of their own, or are said by the type.
const saidElsewhere = new Set([
  ...[
    'key',
    'name',
    'description',
    'type',
    'column',
    'isSystem',
    'isCalculated',
    'calculatedFrom',
    'entity',
    'mappedBy',
  ],
  ...['precision', 'scale', 'values', 'valueNames'],
])

export const typeWords = (field: Field, { definitions: texts }: AdminTexts): string => {
  const { type, precision, scale } = field
  const name = texts.types[type]
  if (type === 'decimal' && precision !== undefined) return `${name} (${precision}, ${scale ?? 0})`
  return name
}

/** Each rule as a short text; one that is new in the definitions is shown by its name. */
export const ruleWords = (field: Field, { definitions: texts }: AdminTexts): readonly string[] => {
  const rules = Object.entries(field).filter(
    ([key, value]) => !saidElsewhere.has(key) && value !== false && value !== null,
  )
  const words = rules.map(([key, value]) => {
    const label = texts.fieldRules[key] ?? nameOfKey(key)
    return value === true ? label : `${label}: ${printed(value)}`
  })
  return [...words, ...(field.values ? [choiceWords(field, field.values)] : [])]
}

/** The values, with the names that the definition gives them. */
const choiceWords = ({ valueNames = {} }: Field, values: readonly string[]): string =>
  values
    .map((value) => (Object.hasOwn(valueNames, value) ? `${valueNames[value]} (${value})` : value))
    .join(' · ')

const printed = (value: unknown): string => {
  if (typeof value === 'string') return value
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  // A unit is another field of the record, a rollup one function of one path.
  if ('field' in value) return String(value.field)
  return Object.entries(value)
    .map(([name, path]) => `${name}(${path})`)
    .join(', ')
}
