/** Conditions of definitions in words, as chips say filters, with the values of the user that they name. */
import { useMemo } from 'react'
import { labelOf, nameOfKey } from '../../../src/definitions/values/rules/key-names.ts'
import type { Condition, Entity } from '../../api/types.ts'
import type { WorkTexts } from '../../texts/texts.ts'
import { useSession } from '../session/session.ts'
import type { Entities } from '../values/columns.ts'
import { describeFilter, useWording, type Wording } from './describe-filter.ts'
import { parseFilter, simplest } from './filter.ts'

/** Its condition in words; undefined without one. */
export const conditionOf = (
  { condition }: { readonly condition?: Condition | undefined },
  wording: Wording,
): string | undefined => {
  if (!condition) return undefined
  const filter = parseFilter(condition)
  return filter ? describeFilter(simplest(filter), wording) : JSON.stringify(condition)
}

/** A path of fields by their names: `Supplier › Account manager`. */
export const pathWords = (path: string, entity: Entity | undefined, entities: Entities): string => {
  const names: string[] = []
  let at = entity
  for (const part of path.split('.')) {
    const field = at?.fields.find(({ key, column }) => key === part || column === part)
    names.push(field ? labelOf(field) : nameOfKey(part))
    at = entities.get(field?.entity ?? '')
  }
  return names.join(' › ')
}

/** Words for what a condition says of the user: their fields, themselves, and what they may read. */
type UserWords = WorkTexts['filter']['ofUser']

/** A condition in words; undefined without one. */
export const useConditionWords = (
  entity: Entity,
  condition: object | null | undefined,
  words: UserWords,
): string | undefined => {
  const { entities } = useSession()
  const worded = useMemo(() => {
    const people = entities.get('user')
    const fieldOf = (path: string) => words.field(pathWords(path, people, entities))
    return condition ? withUserWords(condition, words, fieldOf) : undefined
  }, [condition, entities, words])
  const wording = useWording(entity, worded)
  return conditionOf({ condition: worded }, wording)
}

/** The condition with words in place of what it says of the user. */
const withUserWords = (
  condition: object,
  { id, readable }: UserWords,
  fieldOf: (path: string) => string,
): Condition => {
  const worded = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(worded)
    if (typeof value !== 'object' || value === null) return value
    if ('$readable' in value) return readable
    if (!('$caller' in value)) return wordedObject(value)
    return value.$caller === 'id' ? id : fieldOf(String(value.$caller))
  }
  const wordedObject = (value: object) =>
    Object.fromEntries(Object.entries(value).map(([key, one]) => [key, worded(one)]))
  return wordedObject(condition)
}
