/** The words of an enum as written: `"low"`, or `{ "value": "low", "name": "Low", "was": "small" }`. */

import { type ShapeIssue, shapeCheck } from '../checks/shape-findings.ts'
import { earlierKeys } from '../earlier-keys.ts'
import { enumWordSchema } from '../field-types/choices.ts'
import type { FieldDefinition } from '../field-types.ts'
import type { EntityDefinition } from '../schemas/entity-definition.ts'
import type { JsonPath } from '../source-file.ts'

const checkWord = shapeCheck(enumWordSchema)

type NamedWord = {
  readonly value: string
  readonly name?: string
  readonly was?: string | readonly string[]
}
type Word = string | NamedWord

const isObject = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const wordsOf = (field: object): readonly unknown[] => {
  const { values } = field as { values?: unknown }
  return Array.isArray(values) ? values : []
}

/** Whether a path inside an enum leads to one of its words, which `wordIssues` checks. */
export const isWordPath = ([first, place]: JsonPath): boolean =>
  first === 'values' && typeof place === 'number'

/** Issues of each word, duplicate words, and duplicate names. */
export const wordIssues = (field: object): ShapeIssue[] => {
  const words = wordsOf(field)
  const issues = words.flatMap((word, place) =>
    oneWord(word).map(({ path, message }) => ({ path: ['values', place, ...path], message })),
  )
  const plain = words.map((word) => (isObject(word) ? (word as { value?: unknown }).value : word))
  for (const [place, word] of words.entries())
    if (isObject(word) && plain.some((other, index) => index !== place && other === plain[place]))
      issues.push({ path: ['values', place], message: `"${plain[place]}" is given twice` })
  return [...issues, ...nameIssues(words)]
}

/** A choice of two words with one name would be a guess. */
const nameIssues = (words: readonly unknown[]): ShapeIssue[] => {
  const names = words.map((word) => (isObject(word) ? (word as { name?: unknown }).name : word))
  return names.flatMap((name, place) =>
    typeof name === 'string' && isObject(words[place]) && names.indexOf(name) !== place
      ? [{ path: ['values', place, 'name'], message: `"${name}" already stands for another value` }]
      : [],
  )
}

const oneWord = (word: unknown): ShapeIssue[] => {
  if (isObject(word)) return checkWord(word)
  if (typeof word !== 'string') return [{ path: [], message: 'must be a string or an object' }]
  return word === '' ? [{ path: [], message: 'must not be empty' }] : []
}

/** The definition with words as plain strings, and their names and earlier words apart. */
export const withPlainWords = (definition: EntityDefinition): EntityDefinition => ({
  ...definition,
  fields: definition.fields.map(plainField),
})

const plainField = (field: FieldDefinition): FieldDefinition => {
  if (field.type !== 'enum') return field
  const words = (field.values as readonly Word[]).map(
    (word): NamedWord => (typeof word === 'string' ? { value: word } : word),
  )
  const names = words.flatMap(({ value, name }) =>
    name === undefined ? [] : [[value, name] as const],
  )
  const earlier = words.flatMap(({ value, was }) =>
    was === undefined ? [] : [[value, earlierKeys(was)] as const],
  )
  return {
    ...field,
    values: words.map(({ value }) => value),
    ...(names.length > 0 && { valueNames: Object.fromEntries(names) }),
    ...(earlier.length > 0 && { earlierValues: Object.fromEntries(earlier) }),
  }
}
