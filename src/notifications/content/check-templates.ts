/** Checks the templates of every notification entry: each name in them leads to something. */
import type { Project } from '../../definitions/load-project.ts'
import type { Finding } from '../../definitions/source-file.ts'
import { errorText } from '../../errors.ts'
import { parseTemplate, type TemplateName } from '../../templates/liquid-template.ts'
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
  const read = readTemplate(text)
  if ('fault' in read) return [`is no Liquid template: ${read.fault}`]
  return [...new Set(read.names.flatMap((name) => nameMistake(variables, name) ?? []))]
}

/** The names in a template; none in what is no template. */
export const namesInText = (text: string): readonly TemplateName[] => {
  const read = readTemplate(text)
  return 'names' in read ? read.names : []
}

const readTemplate = (text: string) => {
  try {
    return { names: parseTemplate(text).names }
  } catch (error) {
    return { fault: errorText(error).split('\n')[0] }
  }
}
