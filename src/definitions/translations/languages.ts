/** The languages of a project, and the one that fits a caller best (RFC 4647, lookup). */
import type { Catalog } from '../catalog.ts'
import type { ProjectSettings } from '../schemas/role-definition.ts'
import type { Translation } from '../schemas/translation.ts'
import { createMenu, type Menu } from './menu.ts'
import type { TranslatedProject } from './read-translations.ts'
import { translateCatalog } from './translate-catalog.ts'

/** The definitions in one language. */
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
}

/** The languages of a project; each is translated when somebody first asks for it, and kept. */
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
  }
}

type Texts = Pick<TranslatedProject, 'language' | 'translations'>

const tagsOf = ({ language, translations }: Texts): readonly string[] => [
  ...new Set([language, ...translations.keys()]),
]

/** The texts in the language of the project's locale; undefined where the definitions alone have them. */
export const localeTexts = (texts: Texts, locale: string | undefined): Translation | undefined =>
  texts.translations.get(lookUp(tagsOf(texts), locale ?? texts.language) ?? texts.language)

/** The catalog with the names that documents and messages have, in these texts. */
export const withLocaleNames = (catalog: Catalog, texts: Translation | undefined): Catalog =>
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
