/** Reads the translations of a project, and those that Docket has of its own entities. */
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Catalog } from '../catalog.ts'
import { isLocale } from '../checks/check-role.ts'
import type { EntityDefinition } from '../schemas/entity-definition.ts'
import type { ProjectSettings } from '../schemas/role-definition.ts'
import type { Translation } from '../schemas/translation.ts'
import { type Finding, readFolder, type Sourced, type SourceFile } from '../source-file.ts'
import { checkTranslation, checkTranslationShape } from './check-translation.ts'
import { translatableTexts } from './translatable-texts.ts'

export type TranslatedProject = {
  /** The language that the definitions are written in. */
  readonly language: string
  /** By language: all texts that it has, also those of less exact languages and of Docket itself. */
  readonly translations: ReadonlyMap<string, Translation>
  /** The file of each language. */
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

/** Reads and checks the translations. */
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

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

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
