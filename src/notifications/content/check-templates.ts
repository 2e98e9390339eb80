/** Checks the templates of every notification rule: each name in them must exist. */
import type { Project } from '../../definitions/load-project.ts'
import type { Finding } from '../../definitions/source-file.ts'
import { errorText } from '../../errors.ts'
import { parseTemplate, type TemplateName } from '../../templates/liquid-template.ts'
import { contentParts, contentTexts } from './rule-content.ts'
import { contentVariables, nameIssue, type Variables } from './template-variables.ts'

/** Findings at the template that contains the issue. */
export const checkTemplates = ({ catalog, sources }: Project): Finding[] =>
  [...sources].flatMap(([key, source]) => {
    const entity = catalog.entities.get(key)
    return (entity?.definition.notifications ?? []).flatMap((rule, index) => {
      if (!entity) return []
      const variables = contentVariables(catalog, entity)
      const texts = contentTexts(entity, rule)
      // The default texts are our own and always valid.
      const own = contentParts.filter((part) => rule.content?.[part] !== undefined)
      return own.flatMap((part) =>
        templateIssues(variables, texts[part]).map((message) =>
          source.finding(['notifications', index, 'content', part], message),
        ),
      )
    })
  })

const templateIssues = (variables: Variables, text: string): string[] => {
  const read = readTemplate(text)
  if ('issue' in read) return [`is not a valid Liquid template: ${read.issue}`]
  return [...new Set(read.names.flatMap((name) => nameIssue(variables, name) ?? []))]
}

/** The names in a template; none if it is not a string. */
export const namesInText = (text: string): readonly TemplateName[] => {
  const read = readTemplate(text)
  return 'names' in read ? read.names : []
}

const readTemplate = (text: string) => {
  try {
    return { names: parseTemplate(text).names }
  } catch (error) {
    return { issue: errorText(error).split('\n')[0] }
  }
}
