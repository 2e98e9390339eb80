/** Earlier keys of entities, fields, steps and enum words (`was`), and their checks. */
import type { Catalog } from './catalog.ts'
import type { EntityDefinition } from './schemas/entity-definition.ts'
import type { AddFinding, JsonPath, Sourced } from './source-file.ts'

export const earlierKeys = (was: string | readonly string[] | undefined): readonly string[] =>
  was === undefined ? [] : typeof was === 'string' ? [was] : was

/** The earlier words of an enum word; safe for words such as `constructor`. */
export const earlierWords = (
  earlier: Readonly<Record<string, readonly string[]>> | undefined,
  word: string,
): readonly string[] => (earlier && Object.hasOwn(earlier, word) ? (earlier[word] ?? []) : [])

/** Something with a key and earlier keys. */
type Named = { readonly key: string; readonly was: readonly string[]; readonly path: JsonPath }

/** What may have been renamed with it. */
type Other = Pick<Named, 'key' | 'was'> & { readonly isNative?: boolean }

/** Reports earlier keys that are in use, and those that are named twice, for each of the project's files. */
export const checkEarlierKeys = (
  catalog: Catalog,
  own: readonly Sourced<EntityDefinition>[],
  report: (source: Sourced<EntityDefinition>['source'], path: JsonPath, message: string) => void,
): void => {
  const claimed = new Map<string, string>()
  const entities = [...catalog.entities.values()].map(({ key, isNative, definition }) => ({
    key,
    isNative,
    was: earlierKeys(definition.was),
  }))
  for (const { source, definition } of own) {
    const add: AddFinding = (path, message) => report(source, path, message)
    const entity = { key: definition.key, was: earlierKeys(definition.was), path: ['was'] }
    checkNames([entity], [...catalog.entities.keys()], 'entity', claimed, add, entities)
    if (definition.extends === 'native' && entity.was.length > 0)
      add(['was'], 'has no effect on a native entity')
    const taken =
      catalog.entities.get(definition.key)?.definition.fields.map(({ key }) => key) ?? []
    checkNames(fieldsOf(definition), taken, 'field', new Map(), add)
    for (const words of wordsOf(definition))
      checkNames(words, keysOf(words), 'value', new Map(), add)
    const steps = stepsOf(definition)
    checkNames(steps, keysOf(steps), 'step', new Map(), add)
  }
}

const keysOf = (named: readonly Named[]): readonly string[] => named.map(({ key }) => key)

const fieldsOf = ({ fields }: EntityDefinition): Named[] =>
  fields.flatMap((field, index) =>
    field.type === 'oneToMany'
      ? []
      : [{ key: field.key, was: earlierKeys(field.was), path: ['fields', index, 'was'] }],
  )

const wordsOf = ({ fields }: EntityDefinition): Named[][] =>
  fields.flatMap((field, index) =>
    field.type === 'enum'
      ? [
          field.values.map((word, place) => ({
            key: word,
            was: earlierWords(field.earlierValues, word),
            path: ['fields', index, 'values', place, 'was'],
          })),
        ]
      : [],
  )

const stepsOf = ({ workflow }: EntityDefinition): Named[] =>
  (workflow?.steps ?? []).map(({ key, was }, index) => ({
    key,
    was: earlierKeys(was),
    path: ['workflow', 'steps', index, 'was'],
  }))

/** What to do about an earlier key that is in use: where that one was renamed too, both follow one after the other. */
const inUse = (key: string, earlier: string, what: string, named: readonly Other[]): string => {
  const found = named.find((other) => other.key === earlier)
  if (found?.isNative)
    return `"${earlier}" is a native entity now; remove it here: an entity of that key is renamed with the version of Docket that made its table`
  const before = found?.was ?? []
  const is = `"${earlier}" is ${/^[aeiou]/.test(what) ? 'an' : 'a'} ${what} now`
  if (before.length === 0) return `${is}; remove it here, or rename that one`
  return before.includes(key)
    ? `${is}, and was "${key}": to swap them, rename in three deployments, "${earlier}" to another key, then "${key}" to "${earlier}", then that other key to "${key}", each time without the "was" of the one before`
    : `${is}, and was "${before[0]}": rename in two deployments, first "${earlier}" to "${key}" in addition to "${before[0]}", then "${before[0]}" to "${earlier}", without this "was"`
}

const checkNames = (
  named: readonly Named[],
  taken: readonly string[],
  what: string,
  claimed: Map<string, string>,
  add: AddFinding,
  /** All that may have been renamed with them. */
  others: readonly Other[] = named,
): void => {
  for (const { key, was, path } of named)
    for (const earlier of was) {
      if (taken.includes(earlier))
        add(
          path,
          earlier === key ? `"${earlier}" is its own key` : inUse(key, earlier, what, others),
        )
      else if (claimed.has(earlier))
        add(
          path,
          `"${earlier}" is what "${claimed.get(earlier)}" was; only one of them can have it`,
        )
      else claimed.set(earlier, key)
    }
}
