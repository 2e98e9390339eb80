/** Converts a project to plain data, for another thread, and back. */
import { type Catalog, createEntity } from './catalog.ts'
import type { Project } from './load-project.ts'
import type { EntityDefinition } from './schemas/entity-definition.ts'
import type { Translation } from './schemas/translation.ts'
import { localeTexts, withLocaleNames } from './translations/languages.ts'

export type PlainProject = Pick<Project, 'directory' | 'settings' | 'language'> &
  Pick<Catalog, 'roles' | 'locale'> & {
    readonly entities: readonly {
      readonly definition: EntityDefinition
      readonly isNative: boolean
    }[]
    readonly localeTexts: Translation | undefined
  }

/** The project without the text of its files. */
export const toPlainProject = ({
  directory,
  settings,
  language,
  translations,
  catalog,
}: Project): PlainProject => ({
  directory,
  settings,
  language,
  roles: catalog.roles,
  locale: catalog.locale,
  localeTexts: localeTexts({ language, translations }, catalog.locale),
  entities: [...catalog.entities.values()].map(({ definition, isNative }) => ({
    definition,
    isNative,
  })),
})

/** The project; it was checked when it was loaded. */
export const fromPlainProject = (plain: PlainProject): Project => {
  const { directory, settings, language, roles, locale } = plain
  const { name, firstDayOfWeek, csv } = settings
  const entities = new Map(
    plain.entities.map(({ definition, isNative }) => [
      definition.key,
      createEntity(definition, isNative),
    ]),
  )
  return {
    directory,
    settings,
    language,
    catalog: withLocaleNames(
      { entities, roles, locale, name, firstDayOfWeek, csv },
      plain.localeTexts,
    ),
    sources: new Map(),
    roleSources: new Map(),
    // Callers alone read the definitions in other languages.
    translations: new Map(),
    translationSources: new Map(),
  }
}
