/** Checks the templates of every notification entry: each name in them leads to something. */
import { resolvePath } from '../definitions/association-path.ts'
import type { Catalog, Entity } from '../definitions/catalog.ts'
import type { Project } from '../definitions/load-project.ts'
import type { Finding } from '../definitions/source-file.ts'
import { errorText } from '../errors.ts'
import { suggestion } from '../near-miss.ts'
import { parseTemplate, type TemplateName } from '../templates/liquid-template.ts'
import { contentParts, contentTexts } from './entry-content.ts'

/** Findings at the template that a mistake stands in. */
export const checkTemplates = ({ catalog, sources }: Project): Finding[] =>
  [...sources].flatMap(([key, source]) => {
    const entity = catalog.entities.get(key)
    return (entity?.definition.notifications ?? []).flatMap((entry, index) => {
      if (!entity) return []
      const texts = contentTexts(entity, entry)
      // The usual texts are ours, and cannot be wrong.
      const own = contentParts.filter((part) => entry.content?.[part] !== undefined)
      return own.flatMap((part) =>
        templateMistakes(catalog, entity, texts[part]).map((message) =>
          source.finding(['notifications', index, 'content', part], message),
        ),
      )
    })
  })

/** What is wrong with a template about records of an entity. */
const templateMistakes = (catalog: Catalog, entity: Entity, text: string): string[] => {
  try {
    const { names } = parseTemplate(text)
    const mistakes = names.flatMap((name) => nameMistake(catalog, entity, name) ?? [])
    return [...new Set(mistakes)]
  } catch (error) {
    return [`is no Liquid template: ${errorText(error).split('\n')[0]}`]
  }
}

const plain: Readonly<Record<string, readonly string[]>> = {
  entity: ['key', 'name'],
  action: ['key', 'name', 'kind', 'form', 'from', 'from_name', 'to', 'to_name'],
  comment: [],
}
const rooted = ['record', 'actor', 'recipient']

const nameMistake = (
  catalog: Catalog,
  entity: Entity,
  { segments }: TemplateName,
): string | undefined => {
  const [root = '', ...rest] = segments
  const shown = segments.map((segment) => segment ?? '[…]').join('.')
  if (rooted.includes(root)) {
    const start = root === 'record' ? entity : catalog.entities.get('user')
    return start && pathMistake(catalog, start, shown, rest)
  }
  const known = plain[root]
  const roots = [...rooted, ...Object.keys(plain)]
  if (!known) return `"${shown}" is no variable of a notification${suggestion(root, roots)}`
  const [name = ''] = rest
  if (rest.length === 0)
    return known.length === 0 ? undefined : `"${shown}" is no text; name a part of it`
  if (rest.length > 1 || !known.includes(name))
    return `"${shown}" is not there${suggestion(name, known)}`
  return undefined
}

const pathMistake = (
  catalog: Catalog,
  start: Entity,
  shown: string,
  segments: readonly (string | undefined)[],
): string | undefined => {
  if (segments.length === 0) return `"${shown}" is a whole record; name a field of it`
  const names: string[] = []
  for (const segment of segments) {
    if (segment === undefined) return `"${shown}" picks a field while it runs; name it plainly`
    names.push(segment)
    const result = resolvePath(catalog, start, names.join('.'))
    // A json field has an inside of its own, which no definition knows.
    if ('path' in result && result.path.column.field.type === 'json') return undefined
  }
  const result = resolvePath(catalog, start, names.join('.'))
  return 'message' in result ? `"${shown}": ${result.message}` : undefined
}
