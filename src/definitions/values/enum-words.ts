/** The words of an enum as written: `"low"`, or `{ "value": "low", "was": "small" }`. */

import { type ShapeIssue, shapeCheck } from '../checks/shape-findings.ts'
import { earlierKeys } from '../earlier-keys.ts'
import { enumWordSchema } from '../field-types/choices.ts'
import type { FieldDefinition } from '../field-types.ts'
import type { EntityDefinition } from '../schemas/entity-definition.ts'
import type { JsonPath } from '../source-file.ts'

const checkWord = shapeCheck(enumWordSchema)

type Word = string | { readonly value: string; readonly was?: string | readonly string[] }

const isObject = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const wordsOf = (field: object): readonly unknown[] => {
  const { values } = field as { values?: unknown }
  return Array.isArray(values) ? values : []
}

/** Whether a path inside an enum leads to one of its words, which `wordIssues` checks. */
export const isWordPath = ([first, place]: JsonPath): boolean =>
  first === 'values' && typeof place === 'number'

/** Issues of each word, and duplicate words. */
export const wordIssues = (field: object): ShapeIssue[] => {
  const words = wordsOf(field)
  const issues = words.flatMap((word, place) =>
    oneWord(word).map(({ path, message }) => ({ path: ['values', place, ...path], message })),
  )
  const plain = words.map((word) => (isObject(word) ? (word as { value?: unknown }).value : word))
  for (const [place, word] of words.entries())
    if (isObject(word) && plain.some((other, index) => index !== place && other === plain[place]))
      issues.push({ path: ['values', place], message: `"${plain[place]}" is given twice` })
  return issues
}

const oneWord = (word: unknown): ShapeIssue[] => {
  if (isObject(word)) return checkWord(word)
  if (typeof word !== 'string') return [{ path: [], message: 'must be a string or an object' }]
  return word === '' ? [{ path: [], message: 'must not be empty' }] : []
}

/** The definition with words as plain strings, and earlier words apart. */
export const withPlainWords = (definition: EntityDefinition): EntityDefinition => ({
  ...definition,
  fields: definition.fields.map(plainField),
})

const plainField = (field: FieldDefinition): FieldDefinition => {
  if (field.type !== 'enum') return field
  const words = field.values as readonly Word[]
  const earlier = words.flatMap((word) =>
    typeof word === 'string' ? [] : [[word.value, earlierKeys(word.was)] as const],
  )
  return {
    ...field,
    values: words.map((word) => (typeof word === 'string' ? word : word.value)),
    ...(earlier.length > 0 && { earlierValues: Object.fromEntries(earlier) }),
  }
}
