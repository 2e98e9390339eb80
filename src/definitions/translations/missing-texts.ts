/** What the translations of a project lack, for `docket check`. */
import type { Catalog } from '../catalog.ts'
import type { ProjectSettings } from '../schemas/role-definition.ts'
import type { Finding } from '../source-file.ts'
import type { TranslatedProject } from './read-translations.ts'
import { isTree, type TextTree, translatableTexts } from './translatable-texts.ts'

/** How much of the texts a language has. */
export type Coverage = {
  readonly language: string
  readonly texts: number
  readonly missing: number
}

const namedAtMost = 3

type Known = Pick<TranslatedProject, 'translations' | 'translationSources'> & {
  readonly catalog: Catalog
  readonly settings: ProjectSettings
}

/** How complete each language is, and a warning for each that lacks texts. */
export const findMissingTexts = ({
  catalog,
  settings,
  translations,
  translationSources,
}: Known): {
  readonly coverage: readonly Coverage[]
  readonly findings: readonly Finding[]
} => {
  const all = translatableTexts(catalog, settings)
  const texts = expectedPaths(all, {}, '').length
  const each = [...translationSources].map(([language, source]) => {
    const paths = expectedPaths(all, translations.get(language) ?? {}, '')
    const missing = paths.filter(({ isMissing }) => isMissing).map(({ path }) => path)
    const findings =
      missing.length === 0
        ? []
        : [source.finding([], missingMessage(missing, texts), 'warning' as const)]
    return { coverage: { language, texts, missing: missing.length }, findings }
  })
  return {
    coverage: each.map(({ coverage }) => coverage),
    findings: each.flatMap(({ findings }) => findings),
  }
}

const missingMessage = (missing: readonly string[], texts: number): string => {
  const { length } = missing
  const named = missing.slice(0, namedAtMost).join(', ')
  const more = length > namedAtMost ? ` and ${length - namedAtMost} more` : ''
  return `lacks ${length} of ${texts} texts, which are shown as the definitions have them: ${named}${more}`
}

type ExpectedPath = { readonly path: string; readonly isMissing: boolean }

/** Every text that a complete translation has. */
const expectedPaths = ({ texts }: TextTree, given: object, at: string): ExpectedPath[] =>
  [...texts].flatMap(([key, found]) => {
    const path = at === '' ? key : `${at}.${key}`
    const value: unknown = Object.hasOwn(given, key) ? given[key as never] : undefined
    if (isTree(found)) return expectedPaths(found, (value as object | undefined) ?? {}, path)
    return found.isExpected ? [{ path, isMissing: value === undefined }] : []
  })
