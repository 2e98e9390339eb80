/**
 * Reads the translations of a project, and those that Docket has of its own entities; checks their shape, that the
 * definitions have their keys, and that their texts can be shown.
 */
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import { didYouMean } from '../../did-you-mean.ts'
import type { Catalog } from '../catalog.ts'
import { labelIssue } from '../checks/check-labels.ts'
import { isLocale } from '../checks/check-role.ts'
import { shapeCheck } from '../checks/shape-findings.ts'
import type { EntityDefinition } from '../schemas/entity-definition.ts'
import type { ProjectSettings } from '../schemas/role-definition.ts'
import { type Translation, translationSchema } from '../schemas/translation.ts'
import {
  type Finding,
  type JsonPath,
  readFolder,
  type Sourced,
  type SourceFile,
} from '../source-file.ts'
import { textIssue } from '../values/check-text.ts'
import { isObject } from '../values/check-value.ts'
import { isTree, type TextTree, translatableTexts } from './translatable-texts.ts'

const checkShape = shapeCheck(translationSchema)

/** The translation if its shape is valid; adds findings to the list. */
const checkTranslationShape = (source: SourceFile, findings: Finding[]): Sourced<Translation>[] => {
  const issues = checkShape(source.value)
  findings.push(...issues.map(({ path, message }) => source.finding(path, message)))
  return issues.length > 0 ? [] : [{ source, definition: source.value as Translation }]
}

/** Reports keys that the definitions do not have, texts that cannot be shown, and two choices with one name. */
const checkTranslation = (
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
  imports: 'import',
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

export type TranslatedProject = {
  /** The language that the definitions are written in. */
  readonly language: string
  /** By language: all texts that it has, also those of less exact languages and of Docket itself. */
  readonly translations: ReadonlyMap<string, Translation>
  readonly translationSources: ReadonlyMap<string, SourceFile>
}

const folder = 'translations'
const nativeDirectory = fileURLToPath(new URL('.', import.meta.url))

type Known = {
  readonly directory: string
  readonly settings: ProjectSettings
  readonly catalog: Catalog
  /** The native entities without what the project says of them. */
  readonly natives: ReadonlyMap<string, EntityDefinition>
}

export const readTranslations = async (
  { directory, settings, catalog, natives }: Known,
  findings: Finding[],
): Promise<TranslatedProject> => {
  const { baseName: language } = new Intl.Locale(settings.language ?? settings.locale ?? 'en')
  const files = await readFolder(directory, folder, findings)
  const named = files.filter((source) => hasLanguageName(source, language, findings))
  const shaped = named.flatMap((source) => checkTranslationShape(source, findings))
  const own = new Map(shaped.map((read) => [tagOf(read.source), read]))
  const native = await readNative([language, ...own.keys()])
  const texts = translatableTexts(catalog, settings)
  for (const read of shaped) checkTranslation(catalog, texts, read, findings)
  const sources = [...native].map(
    ([tag, texts]) => [tag, ofService(texts, catalog, natives)] as const,
  )
  const allOf = layers(new Map(sources), own)
  return {
    language,
    translations: new Map(
      [...new Set([language, ...own.keys()])].flatMap((tag) => {
        const translation = allOf(tag)
        return translation ? [[tag, translation] as const] : []
      }),
    ),
    translationSources: new Map([...own].map(([tag, { source }]) => [tag, source])),
  }
}

const tagOf = ({ file }: SourceFile): string => basename(file, '.json')

/** Whether the name of a file is a language, and another one than that of the definitions. */
const hasLanguageName = (source: SourceFile, language: string, findings: Finding[]): boolean => {
  const tag = tagOf(source)
  const issue = tagIssue(tag, language)
  if (issue !== undefined) findings.push(source.finding([], issue))
  return issue === undefined
}

const tagIssue = (tag: string, language: string): string | undefined => {
  if (!isLocale(tag))
    return `must be named as its language, such as de.json or de-AT.json; "${tag}" is not a known language tag`
  const { baseName } = new Intl.Locale(tag)
  if (baseName !== tag)
    return `must be named ${baseName}.json: a tag of language, script and region`
  return tag === language
    ? `is in the language of the definitions; if they are in another one, say so with "language" in docket.json`
    : undefined
}

/** The tag and the less exact ones, those first: `zh`, `zh-Hant`, `zh-Hant-TW`. */
const chainOf = (tag: string): readonly string[] => {
  const parts = tag.split('-')
  return parts.map((_part, index) => parts.slice(0, index + 1).join('-'))
}

/** All texts of a language, the most exact ones last. */
const layers =
  (native: ReadonlyMap<string, Translation>, own: ReadonlyMap<string, Sourced<Translation>>) =>
  (tag: string): Translation | undefined => {
    const chain = chainOf(tag)
    const found = [
      ...chain.map((one) => native.get(one)),
      ...chain.map((one) => own.get(one)?.definition),
    ].filter((one) => one !== undefined)
    return found.length === 0 ? undefined : (found.reduce(merge) as Translation)
  }

/** Both objects, deeply; the second goes before the first. */
const merge = (first: object, second: object): object => {
  const merged = new Map<string, unknown>(Object.entries(first))
  for (const [key, value] of Object.entries(second)) {
    const before = merged.get(key)
    merged.set(key, isObject(before) && isObject(value) ? merge(before, value) : value)
  }
  return Object.fromEntries(merged)
}

/** The texts of Docket itself in the languages of these tags. */
const readNative = async (tags: readonly string[]): Promise<ReadonlyMap<string, Translation>> => {
  const wanted = new Set(tags.flatMap(chainOf))
  const files =
    wanted.size === 1 && wanted.has('en') ? [] : await readFolder(nativeDirectory, 'native', [])
  return new Map(
    files
      .filter((source) => wanted.has(tagOf(source)))
      .map((source) => [tagOf(source), source.value as Translation]),
  )
}

const labels = ['name', 'pluralName', 'description'] as const

/** Without the names of native entities that the project calls otherwise. */
const ofService = (
  translation: Translation,
  catalog: Catalog,
  natives: ReadonlyMap<string, EntityDefinition>,
): Translation => ({
  ...translation,
  entities: Object.fromEntries(
    Object.entries(translation.entities ?? {}).map(([key, texts]) => {
      const definition = catalog.entities.get(key)?.definition
      const changed = labels.filter((label) => definition?.[label] !== natives.get(key)?.[label])
      const kept = Object.entries(texts).filter(([label]) => !changed.some((one) => one === label))
      return [key, Object.fromEntries(kept)]
    }),
  ),
})
