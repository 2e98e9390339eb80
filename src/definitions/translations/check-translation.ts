/** Checks a translation: its shape, that the definitions have its keys, and that its texts can be shown. */
import { didYouMean } from '../../did-you-mean.ts'
import type { Catalog } from '../catalog.ts'
import { labelIssue } from '../checks/check-labels.ts'
import { shapeCheck } from '../checks/shape-findings.ts'
import { type Translation, translationSchema } from '../schemas/translation.ts'
import type { Finding, JsonPath, Sourced, SourceFile } from '../source-file.ts'
import { textIssue } from '../values/check-text.ts'
import { isTree, type TextTree } from './translatable-texts.ts'

const checkShape = shapeCheck(translationSchema)

/** The translation if its shape is valid; adds findings to the list. */
export const checkTranslationShape = (
  source: SourceFile,
  findings: Finding[],
): Sourced<Translation>[] => {
  const issues = checkShape(source.value)
  findings.push(...issues.map(({ path, message }) => source.finding(path, message)))
  return issues.length > 0 ? [] : [{ source, definition: source.value as Translation }]
}

/** Reports keys that the definitions do not have, texts that cannot be shown, and two choices with one name. */
export const checkTranslation = (
  catalog: Catalog,
  texts: TextTree,
  { source, definition }: Sourced<Translation>,
  findings: Finding[],
): void => {
  const { $schema: _schema, ...given } = definition
  const issues = [...textIssues(given, texts, []), ...choiceIssues(catalog, definition)]
  for (const { path, message, isUnknown = false } of issues)
    if (!isUnknown || !mayBeUnread(catalog, path)) findings.push(source.finding(path, message))
}

/** The texts of `docket.json`. */
const ofSettings: readonly unknown[] = ['name', 'menu']

/** Whether what a path names may be in a file with faults. */
const mayBeUnread = ({ unread = new Set() }: Catalog, path: JsonPath): boolean => {
  const named = ofSettings.includes(path[0]) ? './docket' : path.slice(0, 2).join('/')
  return [...unread].some((file) => file === named || file.startsWith(`${named}/`))
}

type Issue = {
  readonly path: JsonPath
  readonly message: string
  /** Whether the definitions seem to lack what it names. */
  readonly isUnknown?: boolean
}

const textIssues = (given: object, { texts }: TextTree, path: JsonPath): Issue[] =>
  Object.entries(given).flatMap(([key, value]: [string, unknown]): Issue[] => {
    const at = [...path, key]
    const found = texts.get(key)
    if (found === undefined)
      return [{ path: at, message: unknownKey(key, texts.keys(), path), isUnknown: true }]
    if (isTree(found)) return textIssues(value as object, found, at)
    const message = shownIssue(String(value), at)
    return message === undefined ? [] : [{ path: at, message }]
  })

// The parts whose keys are those of the definitions; other keys are properties.
const kinds: Readonly<Record<string, string>> = {
  menu: 'group',
  entities: 'entity',
  fields: 'field',
  steps: 'step',
  actions: 'action',
  actionMessages: 'step with messages',
  messages: 'entity with messages',
  columns: 'header',
  values: 'value',
  roles: 'role',
  systemFields: 'system field',
}

const unknownKey = (key: string, known: Iterable<string>, path: JsonPath): string => {
  const kind = kinds[String(path.at(-1))]
  return kind === undefined
    ? 'has nothing to translate: the definition has no such text'
    : `there is no ${kind} "${key}"${didYouMean(key, known)}`
}

/** A description may have several lines, as may the header of a column; all else is one. */
const shownIssue = (text: string, path: JsonPath): string | undefined => {
  if (path.at(-1) === 'description' && path.at(-2) !== 'values') return textIssue(text)
  return labelIssue(path.at(-2) === 'columns' ? 'headerName' : 'name', text)
}

/** A choice of two values with one name would be a guess. */
const choiceIssues = (catalog: Catalog, { entities = {} }: Translation): Issue[] =>
  Object.entries(entities).flatMap(([entityKey, { fields = {} }]) => {
    const known = new Map(
      catalog.entities.get(entityKey)?.definition.fields.map((field) => [field.key, field]),
    )
    return Object.entries(fields).flatMap(([key, { values: names }]) => {
      const field = known.get(key)
      if (names === undefined || field?.type !== 'enum') return []
      const path = ['entities', entityKey, 'fields', key, 'values']
      return sameNames(field, names).map((value) => ({
        path: [...path, value],
        message: `"${names[value]}" already stands for another value`,
      }))
    })
  })

type Names = Readonly<Record<string, string>>

/** The translated values whose name another value has too. */
const sameNames = (
  { values, valueNames = {} }: { readonly values: readonly string[]; readonly valueNames?: Names },
  names: Names,
): readonly string[] => {
  const plain = values.map((value) => [value, value] as const)
  const all = new Map([...plain, ...Object.entries(valueNames), ...Object.entries(names)])
  const byName = Map.groupBy(all.keys(), (value) => all.get(value))
  return Object.keys(names).filter((value) => (byName.get(names[value])?.length ?? 0) > 1)
}
