/** Checks the templates of every notification entry: each name in them leads to something. */
import type { Project } from '../definitions/load-project.ts'
import type { Finding } from '../definitions/source-file.ts'
import { errorText } from '../errors.ts'
import { parseTemplate } from '../templates/liquid-template.ts'
import { contentParts, contentTexts } from './entry-content.ts'
import { contentVariables, nameMistake, type Variables } from './template-variables.ts'

/** Findings at the template that a mistake stands in. */
export const checkTemplates = ({ catalog, sources }: Project): Finding[] =>
  [...sources].flatMap(([key, source]) => {
    const entity = catalog.entities.get(key)
    return (entity?.definition.notifications ?? []).flatMap((entry, index) => {
      if (!entity) return []
      const variables = contentVariables(catalog, entity)
      const texts = contentTexts(entity, entry)
      // The usual texts are ours, and cannot be wrong.
      const own = contentParts.filter((part) => entry.content?.[part] !== undefined)
      return own.flatMap((part) =>
        templateMistakes(variables, texts[part]).map((message) =>
          source.finding(['notifications', index, 'content', part], message),
        ),
      )
    })
  })

const templateMistakes = (variables: Variables, text: string): string[] => {
  try {
    const { names } = parseTemplate(text)
    return [...new Set(names.flatMap((name) => nameMistake(variables, name) ?? []))]
  } catch (error) {
    return [`is no Liquid template: ${errorText(error).split('\n')[0]}`]
  }
}
