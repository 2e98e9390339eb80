/** Converts a project to plain data, for another thread, and back. */
import { type Catalog, createEntity } from './catalog.ts'
import type { Project } from './load-project.ts'
import type { EntityDefinition } from './schemas/entity-definition.ts'
import { withMessageNames } from './translations/languages.ts'

export type PlainProject = Pick<Project, 'directory' | 'settings' | 'language' | 'translations'> &
  Pick<Catalog, 'roles' | 'locale'> & {
    readonly entities: readonly {
      readonly definition: EntityDefinition
      readonly isNative: boolean
    }[]
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
  translations,
  entities: [...catalog.entities.values()].map(({ definition, isNative }) => ({
    definition,
    isNative,
  })),
})

/** The project; it was checked when it was loaded. */
export const fromPlainProject = (plain: PlainProject): Project => {
  const { directory, settings, language, translations, roles, locale } = plain
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
    catalog: withMessageNames(
      { entities, roles, locale, name, firstDayOfWeek, csv },
      { language, translations },
    ),
    sources: new Map(),
    roleSources: new Map(),
    translations,
    translationSources: new Map(),
  }
}
