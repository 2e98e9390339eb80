/** Checks the templates of every notification rule: each name in them must exist, and a due date must be one. */
import type { Catalog, Entity } from '../../definitions/catalog.ts'
import type { Project } from '../../definitions/load-project.ts'
import type { Finding } from '../../definitions/source-file.ts'
import { errorText } from '../../errors.ts'
import { parseTemplate, type TemplateName } from '../../templates/liquid-template.ts'
import { dueDateIssues } from './check-due-date.ts'
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
        [
          ...templateIssues(variables, texts[part]),
          ...(part === 'due_date' ? issuesOfDueDate(catalog, entity, texts[part]) : []),
        ].map(({ message, severity }) =>
          source.finding(['notifications', index, 'content', part], message, severity),
        ),
      )
    })
  })

type Issue = { readonly message: string; readonly severity: Finding['severity'] }

const templateIssues = (variables: Variables, text: string): Issue[] => {
  const read = readTemplate(text)
  const issues =
    'issue' in read
      ? [`is not a valid Liquid template: ${read.issue}`]
      : new Set(read.template.names.flatMap((name) => nameIssue(variables, name) ?? []))
  return [...issues].map((message) => ({ message, severity: 'error' }))
}

const issuesOfDueDate = (catalog: Catalog, entity: Entity, text: string): Issue[] => {
  const read = readTemplate(text)
  return 'template' in read ? dueDateIssues(catalog, entity, read.template) : []
}

/** The names in a template; none if it is not a string. */
export const namesInText = (text: string): readonly TemplateName[] => {
  const read = readTemplate(text)
  return 'template' in read ? read.template.names : []
}

const readTemplate = (text: string) => {
  try {
    return { template: parseTemplate(text) }
  } catch (error) {
    return { issue: errorText(error).split('\n')[0] }
  }
}
