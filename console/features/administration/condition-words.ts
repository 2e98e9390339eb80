/** A condition of an action or a permission in words. */
import { useMemo } from 'react'
import type { Condition, Entity } from '../../api/types.ts'
import { useAdminTexts } from '../../texts/texts.ts'
import { useWording } from '../filter/use-wording.ts'
import { useSession } from '../session/session.ts'
import { conditionOf, pathWords } from './rule-words.ts'

/** The condition in words; undefined without one. */
export const useConditionWords = (
  entity: Entity,
  condition: object | undefined,
): string | undefined => {
  const { definitions: texts } = useAdminTexts()
  const { entities } = useSession()
  const worded = useMemo(() => {
    const people = entities.get('user')
    const wordsOf = (path: string) =>
      texts.ofCaller(people ? pathWords(path, people, entities) : path)
    return condition && withCallerWords(condition, wordsOf)
  }, [condition, entities, texts])
  const wording = useWording(entity, worded)
  return conditionOf({ condition: worded }, wording)
}

/** The condition with words in place of each value of the caller. */
const withCallerWords = (condition: object, wordsOf: (path: string) => string): Condition => {
  const worded = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(worded)
    if (typeof value !== 'object' || value === null) return value
    return '$caller' in value ? wordsOf(String(value.$caller)) : wordedObject(value)
  }
  const wordedObject = (value: object) =>
    Object.fromEntries(Object.entries(value).map(([key, one]) => [key, worded(one)]))
  return wordedObject(condition)
}
