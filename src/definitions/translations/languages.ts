/** The languages of a project, the catalog in each of them, and the one that fits a caller best (RFC 4647, lookup). */
import { type Catalog, createEntity, type Entity, languageOf, systemNames } from '../catalog.ts'
import type { FieldDefinition } from '../field-types.ts'
import type { EntityDefinition, WorkflowDefinition } from '../schemas/entity-definition.ts'
import type { ProjectSettings, RoleDefinition } from '../schemas/role-definition.ts'
import type {
  EntityTranslation,
  FieldTranslation,
  RoleTranslation,
  Translation,
} from '../schemas/translation.ts'
import { createMenu, type Menu } from './menu.ts'
import type { TranslatedProject } from './read-translations.ts'
import { ownHeaders } from './translatable-texts.ts'

type Names = Readonly<Record<string, string>> | undefined

/** What a translation has of a key; a value of an enum may be named like a property of every object. */
const own = <T>(texts: Readonly<Record<string, T>> | undefined, key: string): T | undefined =>
  texts && Object.hasOwn(texts, key) ? texts[key] : undefined

type Defined<T> = { [Name in keyof T]?: Exclude<T[Name], undefined> }

/** The properties that are there. */
const defined = <T extends object>(properties: T): Defined<T> =>
  Object.fromEntries(
    Object.entries(properties).filter(([, value]) => value !== undefined),
  ) as Defined<T>

/** The catalog with the texts of a translation; what it lacks stays as it is. */
const translateCatalog = (catalog: Catalog, translation: Translation): Catalog => {
  const { entities, systemFields, roles } = translation
  const names = new Map([...systemNames, ...Object.entries(systemFields ?? {})])
  const translated = [...catalog.entities].map(([key, entity]) => {
    const definition = translateDefinition(catalog, entity, own(entities, key) ?? {})
    return [key, createEntity(definition, entity.isNative, names)] as const
  })
  return {
    ...catalog,
    entities: new Map(translated),
    roles: new Map(
      [...catalog.roles].map(([key, role]): [string, RoleDefinition] => [
        key,
        translateRole(role, own(roles, key)),
      ]),
    ),
  }
}

const translateRole = (
  role: RoleDefinition,
  { messages, ...texts }: RoleTranslation = {},
): RoleDefinition => ({
  ...role,
  ...defined(texts),
  ...(messages && {
    permissions: Object.fromEntries(
      Object.entries(role.permissions).map(([key, permission]) => [
        key,
        permission.messages
          ? { ...permission, messages: { ...permission.messages, ...own(messages, key) } }
          : permission,
      ]),
    ),
  }),
})

const translateDefinition = (
  catalog: Catalog,
  entity: Entity,
  texts: EntityTranslation,
): EntityDefinition => {
  const { name, pluralName, description, fields, columns } = texts
  const { definition } = entity
  const { workflow, exportSettings } = definition
  return {
    ...definition,
    ...defined({ name, pluralName, description }),
    fields: definition.fields.map((field) => translateField(field, own(fields, field.key))),
    ...(definition.validations && {
      validations: definition.validations.map((one) => ({
        ...one,
        message: own(texts.validations, one.key) ?? one.message,
      })),
    }),
    ...(definition.imports && {
      imports: definition.imports.map((one) => ({
        ...one,
        ...defined({ name: own(texts.imports, one.key) }),
      })),
    }),
    ...(workflow && { workflow: translateWorkflow(workflow, texts) }),
    ...(exportSettings?.columnDefs && {
      exportSettings: {
        ...exportSettings,
        columnDefs: translateHeaders(catalog, entity, columns),
      },
    }),
  }
}

const translateField = (
  field: FieldDefinition,
  { values, ...texts }: FieldTranslation = {},
): FieldDefinition =>
  ({
    ...field,
    ...defined(texts),
    ...(values && field.type === 'enum' && { valueNames: { ...field.valueNames, ...values } }),
  }) as FieldDefinition

const translateWorkflow = (
  workflow: WorkflowDefinition,
  { steps, actions, actionMessages }: EntityTranslation,
): WorkflowDefinition => ({
  ...workflow,
  steps: workflow.steps.map((step) => ({
    ...step,
    ...defined({ name: own(steps, step.key) }),
    ...(step.actions && {
      actions: step.actions.map((action) => ({
        ...action,
        ...defined({
          name: own(actions, action.key),
          message: own(own(actionMessages, step.key), action.key),
        }),
      })),
    }),
  })),
})

/** A header that is what its fields are called is left out: they have translations. */
const translateHeaders = (catalog: Catalog, entity: Entity, columns: Names) => {
  const headers = new Set(ownHeaders(catalog, entity))
  return (entity.definition.exportSettings?.columnDefs ?? []).map(({ headerName, ...column }) =>
    headerName !== undefined && headers.has(headerName)
      ? { ...column, headerName: own(columns, headerName) ?? headerName }
      : column,
  )
}

export type Localized = {
  /** A BCP 47 tag, such as `de`. */
  readonly language: string
  readonly catalog: Catalog
  readonly projectName: string | undefined
  readonly menu: Menu
}

export type Languages = {
  /** The definitions in the first of these languages that the project has, else in its own. */
  readonly choose: (wanted: readonly string[]) => Localized
  /** The definitions in each language, the project's own first. */
  readonly all: () => readonly Localized[]
}

/** The languages of a project; each is translated at its first request, and kept. */
export const createLanguages = ({
  catalog,
  settings,
  language,
  translations,
}: Known): Languages => {
  const kept = new Map<string, Localized>()
  const inLanguage = (tag: string): Localized => {
    const known = kept.get(tag)
    if (known) return known
    const translation = translations.get(tag)
    const made = {
      language: tag,
      catalog: translation ? translateCatalog(catalog, translation) : catalog,
      projectName: translation?.name ?? settings.name,
      menu: createMenu(settings.menu ?? {}, translation?.menu ?? {}, tag),
    }
    kept.set(tag, made)
    return made
  }
  const tags = tagsOf({ language, translations })
  return {
    choose: (wanted) => {
      for (const one of wanted) {
        const found = lookUp(tags, one)
        if (found !== undefined) return inLanguage(found)
      }
      return inLanguage(language)
    },
    all: () => tags.map(inLanguage),
  }
}

type Texts = Pick<TranslatedProject, 'language' | 'translations'>

const tagsOf = ({ language, translations }: Texts): readonly string[] => [
  ...new Set([language, ...translations.keys()]),
]

/** The texts in the language of the project's locale; undefined where the definitions alone have them. */
const localeTexts = (texts: Texts, locale: string | undefined): Translation | undefined =>
  texts.translations.get(lookUp(tagsOf(texts), locale ?? texts.language) ?? texts.language)

/** The languages in which the service writes messages. */
export const messageLanguages = ['en', 'de', 'fr', 'hr'] as const

/** The texts of messages in the language of a locale (BCP 47), such as `de-AT`; in others the service writes English. */
export const messageTexts = <T>(
  texts: Readonly<Record<(typeof messageLanguages)[number], T>>,
  locale: string | undefined,
): T => (texts as Readonly<Record<string, T>>)[languageOf(locale)] ?? texts.en

/** The catalog with the names that documents and messages have, in the locale of the project and for readers of other languages. */
export const withMessageNames = (catalog: Catalog, texts: Texts): Catalog => {
  const tags = tagsOf(texts)
  const own = languageOf(catalog.locale)
  const known = new Set([...messageLanguages, ...tags.map(languageOf)])
  const kept = new Map<string, Catalog>()
  const inLanguage = (tag: string): Catalog => {
    const language = languageOf(tag)
    if (language === own || !known.has(language)) return project
    const found = kept.get(language)
    if (found) return found
    const names = texts.translations.get(lookUp(tags, language) ?? '')
    const made = { ...withLocaleNames(catalog, names), locale: language, inLanguage }
    kept.set(language, made)
    return made
  }
  const project = { ...withLocaleNames(catalog, localeTexts(texts, catalog.locale)), inLanguage }
  return project
}

const withLocaleNames = (catalog: Catalog, texts: Translation | undefined): Catalog =>
  texts
    ? {
        ...catalog,
        name: texts.name ?? catalog.name,
        named: translateCatalog(catalog, texts).entities,
      }
    : catalog

type Known = Texts & {
  readonly catalog: Catalog
  readonly settings: ProjectSettings
}

/** The tag itself, a less exact one, or another region of its language: `de-AT`, `de`, `de-CH`. */
const lookUp = (tags: readonly string[], wanted: string): string | undefined => {
  const parts = wanted.toLowerCase().split('-')
  const found = (name: string) => tags.find((tag) => tag.toLowerCase() === name)
  for (let length = parts.length; length > 0; length -= 1) {
    const tag = found(parts.slice(0, length).join('-'))
    if (tag !== undefined) return tag
  }
  return tags.find((tag) => tag.toLowerCase().startsWith(`${parts[0]}-`))
}
