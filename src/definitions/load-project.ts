/** Reads a project folder and returns its catalog, or every error of every file (docs/definitions.md). */
import { existsSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Catalog, createEntity } from './catalog.ts'
import {
  checkEntityShape,
  fieldNames,
  unreadFiles,
  withUnread,
} from './checks/check-entity-shape.ts'
import { checkCircles, checkReferences } from './checks/check-references.ts'
import {
  checkProjectSettings,
  checkRoleReferences,
  checkRoleShape,
  checkSecondFactors,
} from './checks/check-role.ts'
import { checkEarlierKeys } from './earlier-keys.ts'
import { nativeEntity } from './native-entities.ts'
import type { EntityDefinition } from './schemas/entity-definition.ts'
import type { ProjectSettings, RoleDefinition } from './schemas/role-definition.ts'
import {
  type Finding,
  findingOfFile,
  readFolder,
  readSource,
  type Sourced,
  type SourceFile,
} from './source-file.ts'
import { withMessageNames } from './translations/languages.ts'
import { checkMenu } from './translations/menu.ts'
import { readTranslations, type TranslatedProject } from './translations/read-translations.ts'
import { hasDefault, isRequired } from './values/field-defaults.ts'
import { regionOf } from './values/rules/phone-numbers.ts'

export type Project = {
  readonly directory: string
  readonly settings: ProjectSettings
  readonly catalog: Catalog
  /** The file of the settings, for findings of later checks, if there is one. */
  readonly settingsSource?: SourceFile | undefined
  /** The source file of each entity, for findings of later checks. */
  readonly sources: ReadonlyMap<string, SourceFile>
  /** That of each role. */
  readonly roleSources: ReadonlyMap<string, SourceFile>
} & TranslatedProject

export type LoadedProject = {
  /** Undefined when a finding is an error. */
  readonly project: Project | undefined
  /** What could be read in spite of errors; undefined when there is no project. */
  readonly partial: Project | undefined
  readonly findings: readonly Finding[]
}

const nativeDirectory = fileURLToPath(new URL('./native/', import.meta.url))

/** The region that a locale names; a language alone, such as "de", has several. */
const regionOfLocale = (locale: string | undefined): string | undefined => {
  try {
    return locale === undefined ? undefined : regionOf(new Intl.Locale(locale).region)
  } catch {
    // The check of the settings reports it.
    return undefined
  }
}

const missingProject = (directory: string): string | undefined => {
  const next =
    'choose the project with --project DIR or PROJECT, or create one with docket init DIR'
  if (!existsSync(directory)) return `is not a folder; ${next}`
  const parts = ['docket.json', 'entities', 'roles']
  return parts.some((part) => existsSync(join(directory, part)))
    ? undefined
    : `is not a project: it has neither docket.json nor entities/; ${next}`
}

/**
 * Loads and checks a project; reads only the file system. `timeZone`, that of the service, overrides the
 * project's.
 */
export const loadProject = async (directory: string, timeZone?: string): Promise<LoadedProject> => {
  const findings: Finding[] = []
  const missing = missingProject(directory)
  if (missing !== undefined)
    return {
      project: undefined,
      partial: undefined,
      findings: [findingOfFile(directory, missing)],
    }
  const natives = await readFolder(nativeDirectory, '', findings)
  const entities = await readFolder(directory, 'entities', findings)
  const roles = await readFolder(directory, 'roles', findings)
  const { source, settings } = await readSettings(directory, findings)
  const place = {
    timeZone: timeZone ?? settings.timeZone ?? 'UTC',
    region: regionOfLocale(settings.locale),
  }

  const nativeDefinitions = new Map(
    natives
      .flatMap((source) => checkEntityShape(source, findings, place))
      .map((d) => [d.definition.key, d.definition]),
  )
  const own = entities.flatMap((source) => checkEntityShape(source, findings, place))
  const ownRoles = roles.flatMap((source) => checkRoleShape(source, findings))
  const unread = unreadFiles(findings, [...own, ...ownRoles])
  checkFileNames([...own, ...ownRoles], findings)
  const merged = withUnread(mergeNatives(nativeDefinitions, own, findings), entities, unread)
  const catalog: Catalog = {
    entities: new Map(
      [...merged.values()].map((definition) => [
        definition.key,
        createEntity(definition, nativeDefinitions.has(definition.key)),
      ]),
    ),
    roles: new Map(ownRoles.map(({ definition }) => [definition.key, definition])),
    unread,
    name: settings.name,
    locale: settings.locale,
    firstDayOfWeek: settings.firstDayOfWeek,
    csv: settings.csv,
  }
  checkReferences(catalog, own, findings)
  checkCircles(catalog, own, findings)
  checkEarlierKeys(catalog, own, (source, path, message) =>
    findings.push(source.finding(path, message)),
  )
  for (const role of ownRoles) checkRoleReferences(catalog, role, findings)

  if (source) {
    checkMenu(catalog, { source, menu: settings.menu }, findings)
    checkSecondFactors(catalog, { source, signIn: settings.signIn }, findings)
  }

  const known = { directory, settings, catalog, natives: nativeDefinitions }
  const translated = await readTranslations(known, findings)
  const hasErrors = findings.some((finding) => finding.severity === 'error')
  const partial = {
    directory,
    settings,
    settingsSource: source,
    ...translated,
    catalog: withMessageNames(catalog, translated),
    sources: sourcesOf(own),
    roleSources: sourcesOf(ownRoles),
  }
  return { project: hasErrors ? undefined : partial, partial, findings }
}

const sourcesOf = (read: readonly Sourced<{ readonly key: string }>[]) =>
  new Map(read.map(({ definition, source }) => [definition.key, source]))

/** The settings, and their file if there is one that can be read. */
const readSettings = async (
  directory: string,
  findings: Finding[],
): Promise<{ readonly source?: SourceFile; readonly settings: ProjectSettings }> => {
  if (!existsSync(join(directory, 'docket.json'))) return { settings: {} }
  const source = await readSource(directory, 'docket.json', findings)
  return source ? { source, settings: checkProjectSettings(source, findings) } : { settings: {} }
}

/** The name of a file is the key of its content, so that a key leads to its file. */
const checkFileNames = (
  sourced: readonly Sourced<EntityDefinition | RoleDefinition>[],
  findings: Finding[],
): void => {
  for (const { source, definition } of sourced) {
    const name = basename(source.file, '.json')
    if (name !== definition.key)
      findings.push(
        source.finding(
          ['key'],
          `is "${definition.key}" but the file is named ${name}.json; use the same name for both`,
        ),
      )
  }
}

/** A native entity with the fields and settings of the project. */
const mergeNatives = (
  natives: ReadonlyMap<string, EntityDefinition>,
  own: readonly Sourced<EntityDefinition>[],
  findings: Finding[],
): Map<string, EntityDefinition> => {
  const merged = new Map(natives)
  for (const { source, definition } of own) {
    const native = natives.get(definition.key)
    if (definition.extends !== 'native') {
      if (native)
        findings.push(
          source.finding(
            ['key'],
            `"${definition.key}" is a native entity; add "extends": "native" to add fields to it, or give an entity of your own another key: one that has records is renamed ("was") with the version of Docket that made its table`,
          ),
        )
      merged.set(definition.key, definition)
      continue
    }
    if (!native) {
      findings.push(
        source.finding(
          ['extends'],
          `"${definition.key}" is not a native entity; those are ${[...natives.keys()].join(', ')}`,
        ),
      )
      continue
    }
    checkAdded(native, { source, definition }, findings)
    // Who calls one record otherwise calls several so, too.
    const { pluralName: _plural, ...unnamed } = native
    merged.set(definition.key, {
      ...(definition.name === undefined ? native : unnamed),
      ...definition,
      fields: [...native.fields, ...definition.fields],
      indexes: [...(native.indexes ?? []), ...(definition.indexes ?? [])],
    })
  }
  return merged
}

/**
 * Fields that a project adds must not hide native fields, nor require values that the service does not
 * know.
 */
const checkAdded = (
  native: EntityDefinition,
  { source, definition }: Sourced<EntityDefinition>,
  findings: Finding[],
): void => {
  const taken = native.fields.flatMap(fieldNames)
  for (const [index, field] of definition.fields.entries()) {
    const add = (property: string, message: string) =>
      findings.push(source.finding(['fields', index, property], message))
    for (const name of fieldNames(field).filter((name) => taken.includes(name)))
      add('key', `"${name}" is already used by the native ${native.key}`)
    // The service itself creates administrators, first-time callers and roles, which cannot fill further
    // required fields.
    if (nativeEntity(native).madeAtStart && isRequired({ field }) && !hasDefault({ field }))
      add(
        'required',
        `needs a "default", or must be removed: the service creates ${native.key} records itself and does not know this field`,
      )
  }
}
